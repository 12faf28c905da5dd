/**
 * Runs the benchmarks whose results say how fast Tacho is on a machine, and writes them to its file in `bench/results/`, which
 * a pull request can add: `deno task bench:machine --help`.
 *
 * @module
 */
import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { join } from "node:path";
import { RESULTS } from "./record/line.ts";
import { describeMachine, slugOf } from "./record/machine.ts";

/** A benchmark with the arguments of this task. */
interface Part {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly measures: string;
}

const PARTS: readonly Part[] = [
  { name: "trust", script: "trust.ts", args: [], measures: "whether the figures of a profile add up" },
  { name: "start", script: "start.ts", args: ["--rounds", "1"], measures: "the start of a training" },
  {
    name: "peers",
    script: "peers.ts",
    args: ["tacho", "jax-js", "jax-js-wasm", "lenet", "resnet20", "gpt", "vit", "--rounds", "1"],
    measures: "training steps beside jax-js (downloaded from npm on the first run)",
  },
  { name: "planning", script: "planning.ts", args: ["--rounds", "1"], measures: "the planning of large models" },
  { name: "attach", script: "attach.ts", args: ["5"], measures: "the cost of recording a program" },
  { name: "kernels", script: "kernels.ts", args: ["--default"], measures: "single kernels, in f32 and f16" },
];

/** Default of `--minutes`. */
const MINUTES = 10;

const command = new Command("deno task bench:machine")
  .description("Measure this machine, and write the results to its file in bench/results/.")
  .option("--only <parts>", `comma-separated list of ${PARTS.map(({ name }) => name).join(", ")}`, partsNamed)
  .option("--minutes <n>", "end after this many minutes; what was measured is kept", minutes, MINUTES)
  .addHelpText("after", () => `
Parts, in order:
${PARTS.map(({ name, measures }) => `  ${name.padEnd(10)} ${measures}`).join("\n")}

Every result is written as soon as it is known, so Ctrl-C loses nothing. A second run replaces the
results of the first. Close other programs: they share the GPU, and on a software adapter the cores.

To send the results of a GPU, commit the file and the page that \`deno task docs\` makes of it, and
open a pull request. The file names the adapter, its driver, the CPU, the system and the commit,
and nothing else about the machine.`)
  .parse([...Deno.args], { from: "user" });
const { only = PARTS, minutes: allowed } = command.opts();

const machine = await describeMachine();
const file = join(RESULTS, `${slugOf(machine)}.jsonl`);
console.log(`${machine.adapter ?? "no adapter"} (${machine.driver ?? "unknown driver"}), ${machine.cpu}`);
console.log(`commit ${machine.commit ?? "unknown"}, load ${machine.load ?? "unknown"}`);
console.log(`results: ${file}`);

const stop = new AbortController();
let running: Deno.ChildProcess | null = null;
const timer = setTimeout(() => end(`${allowed} minutes are over`), allowed * 60_000);
for (const signal of Deno.build.os === "windows" ? ["SIGINT"] as const : ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => end("interrupted"));
}
const failed: string[] = [];
for (const [i, { name, script, args, measures }] of only.entries()) {
  if (stop.signal.aborted) break;
  const minute = (performance.now() / 60_000).toFixed(1);
  console.log(`\n[${i + 1} of ${only.length}, minute ${minute}] ${name}: ${measures}`);
  running = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", join(import.meta.dirname!, script), ...args, "--record"],
    stdin: "null",
  }).spawn();
  const { success } = await running.status;
  if (!success && !stop.signal.aborted) failed.push(name);
}
clearTimeout(timer);
if (stop.signal.aborted) console.log(`\n${stop.signal.reason}; what was measured until then is in the file`);
if (failed.length > 0) console.error(`\nfailed: ${failed.join(", ")}`);
console.log(`\nresults: ${file}\nNext: deno task docs, then commit the file and bench/RESULTS.md`);
Deno.exit(failed.length > 0 ? 1 : stop.signal.aborted && stop.signal.reason === "interrupted" ? 130 : 0);

function end(reason: string): void {
  stop.abort(reason);
  try {
    running?.kill("SIGTERM");
  } catch {
    // It has ended
  }
}

function partsNamed(list: string): readonly Part[] {
  const names = list.split(",");
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`there is no part "${unknown}"`);
  return PARTS.filter(({ name }) => names.includes(name));
}

function minutes(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1e4)) throw new InvalidArgumentError("expected a number of minutes above 0");
  return value;
}
