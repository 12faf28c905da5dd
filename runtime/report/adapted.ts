import { SOFTWARE } from "../scenario/adapters.ts";
import type { Adapted } from "../result/schema.ts";
import { changesText } from "./differences.ts";
import { nameInProse, namesInProse } from "./plain_text.ts";

/**
 * Names the settings that applied because of the adapter; null where none did.
 *
 * @param flags adds the flag that ignores them
 */
export function adaptedText(adapted: Adapted | null, flags: boolean): string | null {
  if (adapted === null || adapted.adapters.length === 0) return null;
  const { adapters, changes, omitted } = adapted;
  const what = [
    changes.length === 0 ? null : changesText(changes),
    omitted.length === 0 ? null : `without ${namesInProse(omitted)}`,
  ].filter((part) => part !== null).join("; ");
  const where = adapters.map((key) => key === SOFTWARE ? "a software adapter" : nameInProse(key)).join(" and ");
  const without = flags ? " (--settings-for none: as in the script)" : "";
  return `for ${where}: ${what || "nothing changed"}${without}`;
}
