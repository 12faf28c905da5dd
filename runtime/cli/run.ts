import type { Emit } from "../result/run_event.ts";
import { guarded, isWorker } from "./guard.ts";
import "./silent_script.ts";

/** Options of `run`. */
export interface RunOptions {
  /** Command-line arguments; by default those of the process. */
  args?: readonly string[];
  /** Called with each event of the run, between steps. */
  onEvent?: Emit;
}

/**
 * Runs the scenario of this script as the command line says and prints the comparison. Exits the process with a nonzero
 * status on failure. Does nothing in a Worker, which imports the script for its definitions only.
 *
 * @example
 * ```ts
 * import { cifar10, run, scenario } from "@tacho/tacho";
 *
 * export default scenario({ name: "loader", data: cifar10() });
 *
 * if (import.meta.main) await run();
 * ```
 */
export async function run(options: RunOptions = {}): Promise<void> {
  if (isWorker()) return;
  const load = () => import("../experiment/run_experiment.ts");
  const status = await guarded(async () => {
    const { main } = await import("./main.ts");
    return await main(options.args ?? Deno.args, load, options.onEvent);
  });
  if (status !== 0) Deno.exit(status);
}
