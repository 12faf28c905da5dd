import type { Environment, Result } from "../../result/schema.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import type { RunSpec } from "../../store/run_spec.ts";

/** All that it takes to run an experiment again, from the store or from a lock file. */
export interface Recipe {
  /** What it comes from, for messages: `run k3f2` or the name of a file. */
  readonly where: string;
  /** What the script was called. */
  readonly script: string;
  /** The script first. */
  readonly modules: readonly ModuleSource[];
  /** What followed the script on the command line. */
  readonly args: readonly string[];
  /** The folder that relative paths were taken from; null where the folder at hand is meant. */
  readonly cwd: string | null;
  /** When it was run or locked, in milliseconds since 1970. */
  readonly started: number;
  readonly spec: RunSpec;
  readonly environment: Environment;
  /** What came out; null where nothing has been measured yet. */
  readonly result: Result | null;
}
