import type { Change } from "../../result/finding.ts";
import { formatValue } from "../../scenario/override.ts";

/** The changes as they are typed: `loader.numWorkers=2`. */
export function overridesOf(changes: readonly Change[]): string[] {
  return changes.map(({ path, to }) => `${path}=${formatValue(to)}`);
}
