/**
 * Time and memory of compiling the plans of large models without a device: `deno task bench:planning`. Each plan is
 * compiled in a new process, by default three times. The time is that of the compilation alone, from the scenario to the
 * plan; the memory is that of the whole process, with the runtime and all modules.
 *
 *     deno task bench:planning --rounds 5
 *     deno task bench:planning --kernels cpu    # with the kernels for software adapters
 *     deno task bench:planning --record         # also writes the result to bench/results/
 *
 * @module
 */
import { median } from "../runtime/core/statistics.ts";
import { cpuUsage } from "node:process";
import { parseArgs } from "node:util";
import { LARGE_MODELS, planOf } from "./large_models.ts";
import { lastLine, load } from "./peer_process.ts";
import { recorder } from "./record/recorder.ts";

/** Cost of a compilation: ms of wall time and of processor time of all threads, and bytes of the process. */
interface Compilation {
  readonly dispatches: number;
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
}

const { args, record } = await recorder("planning");
const { values: { rounds, kernels, model } } = parseArgs({
  args,
  options: {
    rounds: { type: "string", default: "3" },
    kernels: { type: "string", default: "gpu" },
    model: { type: "string" },
  },
});
if (kernels !== "gpu" && kernels !== "cpu") throw new Error(`--kernels: expected gpu or cpu, got "${kernels}"`);
if (model === undefined) {
  console.log(load());
  console.log(`${"plan".padEnd(50)}${["dispatches", "ms", "cpu ms", "MiB"].map((cell) => cell.padStart(12)).join("")}`);
  for (const name of Object.keys(LARGE_MODELS)) print(name);
} else console.log(JSON.stringify(compile(model, kernels)));

function compile(name: string, kernels: "gpu" | "cpu"): Compilation {
  const [start, usage] = [performance.now(), cpuUsage()];
  const { segments } = planOf(LARGE_MODELS[name]!.define("O0"), kernels);
  const wall = performance.now() - start;
  const { user, system } = cpuUsage(usage);
  const dispatches = segments.reduce((sum, segment) => sum + segment.dispatches.length, 0);
  return { dispatches, wall, cpu: (user + system) / 1000, memory: Deno.memoryUsage().rss };
}

/** Prints the median wall time, the minimum processor time and the maximum memory over the rounds. */
function print(name: string): void {
  const runs = Array.from({ length: Number(rounds) }, () => {
    const args = ["run", "-A", "--quiet", import.meta.filename!, "--model", name, "--kernels", kernels];
    const { success, stdout, stderr } = new Deno.Command(Deno.execPath(), { args }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return lastLine<Compilation>(new TextDecoder().decode(stdout));
  });
  const figures = {
    dispatches_count: runs[0]!.dispatches,
    wall_ms: median(runs.map(({ wall }) => wall)),
    cpu_ms: Math.min(...runs.map(({ cpu }) => cpu)),
    memory_mib: Math.max(...runs.map(({ memory }) => memory)) / 2 ** 20,
  };
  const { title } = LARGE_MODELS[name]!;
  record(`${title}, kernels for a ${kernels === "gpu" ? "GPU" : "CPU"}`, figures);
  console.log(title.padEnd(50) + Object.values(figures).map((cell) => cell.toFixed(0).padStart(12)).join(""));
}
