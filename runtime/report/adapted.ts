import { SOFTWARE } from "../scenario/adapters.ts";
import type { Adapted } from "../result/adapted.ts";
import { changesText } from "./changes.ts";
import { nameInProse, namesInProse } from "./plain_text.ts";

/** Names the settings that applied because of the adapter, and the flag that does without; null where none did. */
export function adaptedText(adapted: Adapted | null): string | null {
  if (adapted === null || adapted.adapters.length === 0) return null;
  const { adapters, changes, omitted } = adapted;
  const what = [
    changes.length === 0 ? null : changesText(changes),
    omitted.length === 0 ? null : `without ${namesInProse(omitted)}`,
  ].filter((part) => part !== null).join("; ");
  const where = adapters.map((key) => key === SOFTWARE ? "a software adapter" : nameInProse(key)).join(" and ");
  return `for ${where}: ${what || "nothing changed"} (--settings-for none: as in the script)`;
}
