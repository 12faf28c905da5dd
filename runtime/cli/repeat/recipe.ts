import type { Environment, Result } from "../../result/schema.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import type { Pinned } from "./pinned.ts";
import type { RunSpec } from "../../store/run_spec.ts";

/** Origin of a script. */
export interface Origin {
  /** Origin in messages: `run k3f2` or the name of a file. */
  readonly where: string;
  /** Name of the script in results. */
  readonly script: string;
}

/** Everything needed to run an experiment again, from the store or from a lock file. */
export interface Recipe extends Origin {
  /** True for a script of the user, which has run here with all permissions; false for a lock file and what it ran. */
  readonly trusted: boolean;
  /** Script and imports; the script comes first. */
  readonly modules: readonly ModuleSource[];
  /** Arguments after the script on the command line. */
  readonly args: readonly string[];
  /** Base of relative paths; null means the current folder. */
  readonly cwd: string | null;
  /** Time when it was run or locked, in ms since 1970. */
  readonly started: number;
  readonly spec: RunSpec;
  readonly environment: Environment;
  /** Hashes of what the modules import from the network; null if they import only Tacho's packages, or it is unknown. */
  readonly pinned: Pinned | null;
  /** Result of the run; null if nothing has been measured yet. */
  readonly result: Result | null;
}
