/**
 * Compares a training step and single kernels in Tacho with other libraries that train on WebGPU. Libraries take turns, and
 * each block of steps is a separate process. All start from the same weights and take the same batches. The benchmark fails
 * if their losses differ at any step by more than 2e-5 of 1 + the loss, or 5e-3 after the first step of ResNet-20, where
 * batch normalisation amplifies rounding.
 *
 *     deno task bench:peers                      # all nets, the kernels, all libraries
 *     deno task bench:peers lenet --rounds 9     # one net; more rounds
 *     deno task bench:peers tacho jax-js         # two libraries
 *     deno task bench:peers kernels              # only the kernels
 *     deno task bench:peers --record             # also writes the results to bench/results/
 *
 * The other libraries are dependencies of `bench/peers/deno.json` only. A step goes from a batch in host memory to its loss on
 * the host, without compilation before the first step. Ratios are of processor time over all threads on a software adapter,
 * where other load hardly changes it, and of wall time on a GPU.
 *
 * @module
 */
import { median } from "../runtime/core/statistics.ts";
import { findAdapter } from "../runtime/device/adapter.ts";
import { compareKernels } from "./peer_kernels.ts";
import { lastLine, load, rangeOf, runOwn, runPeer } from "./peer_process.ts";
import { AMPLIFIED_TOLERANCE, compareLosses, LOSS_TOLERANCE } from "./peers/losses.ts";
import { BLOCKS, hasBatchNorm, isTransformer, type Net, NETS } from "./peers/nets.ts";
import type { Trained } from "./peers/steps.ts";
import { recorder } from "./record/recorder.ts";

/** Argument that selects the single kernels. */
const KERNELS = "kernels";

const OWN = "tacho";

/** Start of the names of a library's scripts, and an argument for them. */
interface Library {
  readonly script: string;
  readonly argument?: string;
  /** True if it trains transformers only. */
  readonly onlyTransformers?: boolean;
}

const OTHERS: Readonly<Record<string, Library>> = {
  "jax-js": { script: "jax" },
  "jax-js-wasm": { script: "jax", argument: "wasm", onlyTransformers: true },
  "tfjs-webgpu": { script: "tfjs" },
};

const { args, record } = await recorder("peers");
const { names, rounds } = readArguments(args);
const chosen = choose([OWN, ...Object.keys(OTHERS)]);
const subjects = choose([...Object.keys(NETS), KERNELS]);
const software = (await findAdapter({ probe: false }))?.info.fallback === true;
const time = software ? "cpu" : "wall";
const ratios = new Map<string, number[]>();
const failures: string[] = [];

for (const name of subjects) {
  const net = NETS[name];
  if (net === undefined) await compareKernels(chosen.filter((name) => name !== "jax-js-wasm"), rounds, record);
  else await compare(net).catch((error: Error) => void failures.push(`${name}: ${error.message}`));
}
if (ratios.size > 0) {
  console.log(`Geometric means of the ratios of ${time} time over ${subjects.filter((name) => name !== KERNELS)}:`);
  const means = [...ratios].map(([name, all]) => [name, geometricMean(all)] as const);
  for (const [name, mean] of means) {
    console.log(`  Tacho is ${mean.toFixed(2)}x as fast as ${name} (${ratios.get(name)!.length} nets)`);
  }
  const complete = Object.keys(NETS).every((name) => subjects.includes(name)) && failures.length === 0;
  if (complete) {
    record("geometric mean", Object.fromEntries(means.map(([name, mean]) => [figure(name, "ratio"), mean])));
  }
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) Deno.exit(1);

/** Trains a net in all chosen libraries in turns, and prints and records the result. */
async function compare(net: Net): Promise<void> {
  const { steps, skip } = BLOCKS[net.name]!;
  const libraries = chosen.filter((name) => isTransformer(net) || OTHERS[name]?.onlyTransformers !== true);
  console.log(`${net.name}, batch ${net.batch}, ${rounds} rounds of ${steps} steps after ${skip}, ${load()}`);
  const runs = new Map<string, Trained[]>(libraries.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < libraries.length; i++) {
      const name = libraries[(i + round) % libraries.length]!;
      console.error(`  round ${round + 1} of ${rounds}, ${name}`);
      runs.get(name)!.push(await train(net, name));
    }
  }
  const differences = compareLosses(net.name, runs, hasBatchNorm(net) ? AMPLIFIED_TOLERANCE : LOSS_TOLERANCE);
  failures.push(...differences.failures);
  const own = runs.get(OWN) ?? [];
  const figures: Record<string, number> = {};
  console.log("\n| library | cpu ms/step | range | wall ms/step | samples/s | Tacho is faster by | range | loss |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
  for (const [name, trained] of runs) {
    const wall = median(trained.map(({ wall }) => wall));
    const cpu = median(trained.map(({ cpu }) => cpu));
    const against = name === OWN ? [] : own.map((one, round) => trained[round]![time] / one[time]);
    figures[figure(name, "cpu_ms")] = cpu;
    figures[figure(name, "wall_ms")] = wall;
    if (against.length > 0) {
      const ratio = median(against);
      figures[figure(name, "ratio")] = ratio;
      ratios.set(name, [...ratios.get(name) ?? [], ratio]);
    }
    const { losses } = trained[0]!;
    console.log(
      `| ${name} | ${cpu.toFixed(1)} | ${rangeOf(trained.map(({ cpu }) => cpu), 1)} | ${wall.toFixed(1)} | ` +
        `${(1000 * net.batch / wall).toFixed(1)} | ${against.length === 0 ? "" : `${median(against).toFixed(2)}x`} | ` +
        `${rangeOf(against, 2)} | ${losses[0]!.toFixed(4)} to ${losses.at(-1)!.toFixed(4)} |`,
    );
  }
  console.log(
    `\nlosses of ${skip + steps} steps: at most ${differences.largest.toExponential(1)} from Tacho's, ${load()}\n`,
  );
  if (differences.failures.length === 0 && own.length > 0) {
    record(net.name, { ...figures, rounds_count: rounds, loss_difference_ratio: differences.largest });
  }
}

async function train({ name: net }: Net, library: string): Promise<Trained> {
  const { steps, skip } = BLOCKS[net]!;
  const flags = [net, "--skip", `${skip}`, "--steps", `${steps}`];
  if (library === OWN) return lastLine(await runOwn("tacho_train.ts", ...flags));
  const { script, argument } = OTHERS[library]!;
  const file = isTransformer(NETS[net]!) ? `${script}_transformer.ts` : `${script}.ts`;
  return lastLine(await runPeer(file, ...flags, ...argument === undefined ? [] : [argument]));
}

function figure(library: string, quantity: string): string {
  return `${library.replaceAll("-", "_")}_${quantity}`;
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** Returns the named ones; all if none of them is named. */
function choose(all: readonly string[]): string[] {
  const named = all.filter((name) => names.includes(name));
  return named.length > 0 ? named : [...all];
}

function readArguments(args: readonly string[]): { names: string[]; rounds: number } {
  const at = args.indexOf("--rounds");
  const rounds = at < 0 ? 3 : Number(args[at + 1]);
  const names = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const known = [OWN, ...Object.keys(OTHERS), ...Object.keys(NETS), KERNELS];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`Expected some of ${known.join(", ")}, got "${unknown}"`);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds: expected a whole number above 0");
  return { names, rounds };
}
