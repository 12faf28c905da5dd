import { InputError } from "../../core/errors.ts";
import type { RunRecord, RunSummary } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { runOf } from "../parse_command.ts";
import { runScript } from "../script_process.ts";
import { withAbsolutePaths } from "../repeat/experiment_args.ts";
import { withoutScript } from "../repeat/recipe_of_run.ts";
import { comparePrograms } from "../versus/compare_programs.ts";
import { isComparison } from "../versus/kept_comparison.ts";
import { createCommand } from "./command.ts";
import { isRunName } from "../../store/run_name.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "resume",
    description:
      "Resumes a run that was interrupted, killed or failed: runs its script again with the same arguments in the same " +
      "folder, and measures the missing rounds. Refuses if the script or the settings have changed. The script's own " +
      "--resume flag does the same. The programs of `tacho versus` are started again.",
    examples: [
      ["tacho resume", "resume the latest unfinished run"],
      ["tacho resume 1m7xt", "resume another run"],
      ["tacho resume last --verbosity 1", "add flags for the script"],
    ],
  })
    .argument("[run]", "ID of the run, a part of it, last or last~1 (default: the latest unfinished run)")
    .argument("[flags...]", "additional flags for the script")
    .passThroughOptions();

/** Resumes an interrupted run. */
export const run = runOf(define, async ({ store: folder }, [name, more]) => {
  let kept: RunRecord;
  let place: string;
  {
    using store = needStore(folder);
    kept = store.run(name === undefined ? latestUnfinished(store).id : store.resolve(name));
    place = store.folder;
    if (kept.status !== "complete" && kept.script === null && !isComparison(kept)) {
      throw withoutScript(store, kept.id, "resumed");
    }
  }
  if (kept.status === "complete") throw new InputError(`Run ${kept.id} is complete and cannot be resumed`);
  if (kept.environment.sandbox) {
    throw new InputError(`Run ${kept.id} ran in the sandbox and cannot be resumed; repeat it: tacho repeat ${kept.id}`);
  }
  await checkPlace(kept);
  if (isComparison(kept)) {
    const own = withAbsolutePaths(more, Deno.cwd());
    Deno.chdir(kept.cwd);
    return (await comparePrograms([...kept.args.slice(1), ...own, "--store", place], kept.id)).status;
  }
  return await runScript(
    kept.script!,
    [...withoutStore(kept.args), ...more, "--store", place, `--resume=${kept.id}`],
    kept.cwd,
  );
});

function latestUnfinished(store: Store): RunSummary {
  const found = ["interrupted", "failed"] as const;
  const runs = found.flatMap((status) => store.find({ status })).sort((a, b) => b.started - a.started);
  const latest = runs.find(({ id }) => store.run(id).environment.sandbox !== true);
  if (latest !== undefined) return latest;
  throw new InputError(`tacho resume: every run in ${store.file} is complete or still running`);
}

async function checkPlace({ id, script, cwd }: RunRecord): Promise<void> {
  for (const place of script === null ? [cwd] : [cwd, script]) {
    try {
      await Deno.stat(place);
    } catch (cause) {
      throw new InputError(
        `Run ${id} cannot be resumed: ${place} not found (it ran ${
          script ?? "programs"
        } in ${cwd}). Restore it, or repeat the run with ` +
          `its kept script: tacho repeat ${id}`,
        { cause },
      );
    }
  }
}

/** Returns the arguments without `--store` and `--resume`. */
function withoutStore(args: readonly string[]): string[] {
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--store") i++;
    else if (arg === "--resume") i += args[i + 1] !== undefined && isRunName(args[i + 1]!) ? 1 : 0;
    else if (!/^--(store|resume)=|^--no-store$/.test(arg)) rest.push(arg);
  }
  return rest;
}
