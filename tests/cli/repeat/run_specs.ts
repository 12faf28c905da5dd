import type { RunSpec } from "../../../runtime/store/run_spec.ts";

export type Config = RunSpec["variants"][number]["config"];

/** Returns the spec of a run with variants of the given settings. */
export function specOf(configs: Readonly<Record<string, Config>>): RunSpec {
  const variants = Object.entries(configs).map(([name, config]) => ({ name, config }));
  return { tacho: "0.0.1", scenario: "x", sha256: "0".repeat(64), seed: 1, baseline: "a", variants };
}
