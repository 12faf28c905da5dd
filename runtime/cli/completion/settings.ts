import { documentSchema } from "../../scenario/document.ts";
import { type Candidate, plain } from "./candidate.ts";

/**
 * Completes a setting, `key=value` or `key=value,value`. Knows the settings that every scenario has, without running the
 * script; its own parameters are unknown.
 */
export function settingCandidates(word: string): Candidate[] {
  const { common, kinds } = documentSchema();
  const long = [...common, ...kinds.flatMap(({ members }) => members.flatMap(({ keys }) => keys))];
  // amp=O2 is short for amp.level=O2, loss=huber for loss.kind=huber
  const short = long.flatMap((key) => {
    const record = key.path.match(/^(\w+)\.(?:kind|level)$/)?.[1];
    return record === undefined ? [] : [{ ...key, path: record }];
  });
  const keys = [...short, ...long];
  const at = word.indexOf("=");
  if (at < 0) {
    const unique = new Map(keys.map(({ path, description }) => [path, description]));
    return [...unique].map(([path, description]) => ({ text: `${path}=`, description }));
  }
  const typed = word.slice(0, word.lastIndexOf(",") + 1) || word.slice(0, at + 1);
  const types = keys.filter(({ path }) => path === word.slice(0, at)).map(({ type }) => type);
  return plain([...new Set(types.flatMap(valuesOf))].map((value) => typed + value));
}

/** Returns the words among the values of a type: `"O0" | "O1"` has O0 and O1, `true | false` both. */
function valuesOf(type: string): string[] {
  return type.split(" | ").flatMap((part) => part.match(/^(?:"(.*)"|(true|false|null))$/)?.slice(1) ?? [])
    .filter((value) => value !== undefined);
}
