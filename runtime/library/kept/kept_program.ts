import type { AttachResult } from "../../result/attach_result.ts";
import { checkFirst } from "../../core/strangers_json.ts";
import { attachedSchema } from "../../result/attached.ts";
import type { AttachedRun } from "../../store/attached_run.ts";
import { StoreError } from "../../store/problems.ts";
import type { Store } from "../../store/store.ts";

/**
 * Returns the kept result of a program, by `last`, its ID or a part of one.
 *
 * @throws {StoreError} if it is damaged, or of another version of Tacho
 */
export function keptProgram(store: Store, name: string): { run: AttachedRun; result: AttachResult } {
  const { run, result } = store.attachedRun(name);
  const checked = checkFirst(attachedSchema, result);
  if (checked.success) return { run, result: checked.data };
  const [issue] = checked.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new StoreError(
    `The result of the attached program ${run.id} is damaged, or of another version of Tacho (${run.tacho})${place}: ` +
      `${issue?.message ?? "it cannot be read"}; attach to the program again`,
  );
}
