/**
 * Compares a training step and single kernels in Tacho with other libraries that train on WebGPU. Libraries take turns,
 * and each measurement is a separate process.
 *
 *     deno task bench:peers                      # all nets, the kernels, all libraries
 *     deno task bench:peers lenet --rounds 9     # one net; more rounds
 *     deno task bench:peers gpt vit              # the transformers, also against jax-js on WebAssembly
 *     deno task bench:peers tacho jax-js         # two libraries
 *     deno task bench:peers kernels              # only the kernels
 *
 * The other libraries are dependencies of `bench/peers/deno.json` only. The time is wall time per step, from a batch in
 * host memory to all losses on the host, without compilation before the first step. Transformers start from the same
 * weights in every library, and their first losses must agree. `cpu ms/step` is the processor time of all threads, at
 * least: on a software adapter it says what a step costs, whatever else runs on the machine.
 *
 * @module
 */
import { type Result, resultSchema } from "../mod.ts";
import { compareKernels } from "./peer_kernels.ts";
import { lastLine, load, median, rangeOf, runOwn, runPeer } from "./peer_process.ts";
import { settingsOf } from "./peers/tacho_weights.ts";
import { TRANSFORMERS } from "./peers/transformers.ts";
import { type Measured, WORKLOADS } from "./peers/workload.ts";

/** Argument that selects the single kernels. */
const KERNELS = "kernels";

interface Block {
  readonly steps: number;
  readonly skip: number;
}

/** A net that is trained. */
interface Net {
  readonly name: string;
  readonly batch: number;
}

interface Library {
  readonly name: string;
  /** True if it trains transformers only. */
  readonly onlyTransformers?: boolean;
  measure(net: Net, block: Block): Promise<Measured>;
}

const BLOCKS: Readonly<Record<string, Block>> = {
  lenet: { steps: 20, skip: 4 },
  resnet20: { steps: 4, skip: 2 },
  gpt: { steps: 4, skip: 2 },
  vit: { steps: 2, skip: 2 },
};

const NETS: Readonly<Record<string, Net>> = { ...WORKLOADS, ...TRANSFORMERS };

/** Steps whose losses must agree, and the largest difference: rounding grows from one update to the next. */
const COMPARED_STEPS = 3;
const LOSS_TOLERANCE = 2e-5;

const libraries: readonly Library[] = [
  { name: "tacho", measure: measureTacho },
  { name: "jax-js", measure: (net, block) => measureOther("jax", net, block) },
  {
    name: "jax-js-wasm",
    onlyTransformers: true,
    measure: (net, block) => measureOther("jax", net, block, "wasm"),
  },
  { name: "tfjs-webgpu", measure: (net, block) => measureOther("tfjs", net, block) },
];

const { names, rounds } = readArguments(Deno.args);
const chosen = libraries.filter(({ name }) =>
  names.includes(name) || !libraries.some(({ name }) => names.includes(name))
);
const subjects = [...Object.keys(NETS), KERNELS];
const asked = subjects.filter((name) => names.includes(name));
for (const name of asked.length === 0 ? subjects : asked) {
  const able = chosen.filter(({ onlyTransformers = false }) => !onlyTransformers || name in TRANSFORMERS);
  if (name === KERNELS) await compareKernels(able.map(({ name }) => name), rounds);
  else await compare(NETS[name]!, able);
}

async function compare(net: Net, chosen: readonly Library[]): Promise<void> {
  const block = BLOCKS[net.name]!;
  console.log(`${net.name}, batch ${net.batch}, ${rounds} rounds of ${block.steps} steps, ${load()}\n`);
  const times = new Map<string, Measured[]>(chosen.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < chosen.length; i++) {
      const { name, measure } = chosen[(i + round) % chosen.length]!;
      const measured = await measure(net, block);
      const [first, last] = endsOf(measured);
      if (!(Number.isFinite(first) && last < first)) {
        throw new Error(`${name} does not learn: loss ${first} to ${last}`);
      }
      times.get(name)!.push(measured);
    }
  }
  print(net, times);
  if (net.name in TRANSFORMERS) checkLosses(times);
  console.log(`\nafterwards ${load()}\n`);
}

function endsOf({ losses }: Measured): [first: number, last: number] {
  return [losses[0]!, losses.at(-1)!];
}

/** Prints how far the first losses of the libraries are apart. */
function checkLosses(times: ReadonlyMap<string, readonly Measured[]>): void {
  for (let step = 0; step < COMPARED_STEPS; step++) {
    const losses = [...times.values()].flatMap((blocks) => blocks.map((block) => block.losses[step]!));
    const apart = Math.max(...losses) - Math.min(...losses);
    if (apart > LOSS_TOLERANCE) throw new Error(`losses of step ${step} differ: ${losses.join(", ")}`);
    console.log(`loss ${step}: ${losses[0]!.toFixed(6)}, at most ${apart.toExponential(1)} apart`);
  }
}

function print({ batch }: Net, times: ReadonlyMap<string, readonly Measured[]>): void {
  const own = times.get("tacho");
  console.log(
    "| library | ms/step | range | samples/s | Tacho is faster by | range | loss, first to last | cpu ms/step | cpu ratio |",
  );
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |");
  for (const [name, blocks] of times) {
    const steps = blocks.map(({ step }) => step);
    const ratios = name === "tacho" || own === undefined ? [] : steps.map((step, i) => step / own[i]!.step);
    const [first, last] = endsOf(blocks[0]!);
    console.log(
      `| ${name} | ${median(steps).toFixed(1)} | ${rangeOf(steps, 1)} | ${
        (1000 * batch / median(steps)).toFixed(1)
      } | ` +
        `${ratios.length === 0 ? "" : `${median(ratios).toFixed(2)}x`} | ${rangeOf(ratios, 2)} | ` +
        `${first.toFixed(3)} to ${last.toFixed(3)} | ${leastProcessor(blocks)?.toFixed(0) ?? "–"} | ` +
        `${ratioOf(leastProcessor(blocks), leastProcessor(own ?? []))} |`,
    );
  }
}

/** Returns the least processor time of a step, which other load on the machine lengthens only a little. */
function leastProcessor(blocks: readonly Measured[]): number | null {
  const times = blocks.flatMap(({ processor }) => processor ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function ratioOf(time: number | null, own: number | null): string {
  return time === null || own === null || time === own ? "" : `${(time / own).toFixed(2)}x`;
}

async function measureTacho(net: Net, { steps, skip }: Block): Promise<Measured> {
  const { name, batch } = net;
  const measure = ["--steps", `${steps}`, "--skip", `${skip}`, "--rounds", "1", "--json", "-"];
  const task = TRANSFORMERS[name];
  const settings = task === undefined ? [`net=${name}`, `loader.batchSize=${batch}`] : await settingsOf(task);
  const script = task === undefined ? "tacho.ts" : "tacho_transformer.ts";
  const result: Result = resultSchema.parse(JSON.parse(await runOwn(script, ...settings, ...measure)));
  const [variant] = result.variants;
  if (variant === undefined || variant.metrics.ips === null) throw new Error("tacho returned no throughput");
  return {
    library: "tacho",
    step: 1000 * batch / variant.metrics.ips.value,
    processor: task === undefined ? null : await processorTime(name, { steps, skip }),
    firstStep: variant.metrics.firstStep?.value ?? null,
    losses: variant.losses.map(Number),
  };
}

/** Returns the processor time of a step in another process, which does nothing but train: ms. */
async function processorTime(name: string, { steps, skip }: Block): Promise<number | null> {
  const text = await runOwn("tacho_steps.ts", name, "--steps", `${steps}`, "--skip", `${skip}`);
  return lastLine<Measured>(text).processor;
}

async function measureOther(
  library: string,
  { name }: Net,
  { steps, skip }: Block,
  ...more: string[]
): Promise<Measured> {
  const script = name in TRANSFORMERS ? `${library}_transformer.ts` : `${library}.ts`;
  return lastLine(await runPeer(script, name, "--steps", `${steps}`, "--skip", `${skip}`, ...more));
}

function readArguments(args: readonly string[]): { names: string[]; rounds: number } {
  const at = args.indexOf("--rounds");
  const rounds = at < 0 ? 5 : Number(args[at + 1]);
  const names = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const known = [...libraries.map(({ name }) => name), ...Object.keys(NETS), KERNELS];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`Expected some of ${known.join(", ")}, got "${unknown}"`);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds: expected a whole number above 0`);
  return { names, rounds };
}
