/**
 * Compares a training step and single kernels in Tacho with other libraries that train on WebGPU. Libraries take turns,
 * and each measurement is a separate process.
 *
 *     deno task bench:peers                      # all nets, the kernels, all libraries
 *     deno task bench:peers lenet --rounds 9     # one net; more rounds
 *     deno task bench:peers tacho jax-js         # two libraries
 *     deno task bench:peers kernels              # only the kernels
 *
 * The other libraries are dependencies of `bench/peers/deno.json` only. The time is wall time per step, from a batch in
 * host memory to all losses on the host, without compilation before the first step.
 *
 * @module
 */
import { type Result, resultSchema } from "../mod.ts";
import { compareKernels } from "./peer_kernels.ts";
import { lastLine, load, median, rangeOf, runOwn, runPeer } from "./peer_process.ts";
import { type Measured, type Workload, WORKLOADS } from "./peers/workload.ts";

/** Argument that selects the single kernels. */
const KERNELS = "kernels";

interface Block {
  readonly steps: number;
  readonly skip: number;
}

interface Library {
  readonly name: string;
  measure(workload: Workload, block: Block): Promise<Measured>;
}

const BLOCKS: Readonly<Record<string, Block>> = {
  lenet: { steps: 20, skip: 4 },
  resnet20: { steps: 4, skip: 2 },
};

const libraries: readonly Library[] = [
  { name: "tacho", measure: measureTacho },
  { name: "jax-js", measure: (workload, block) => measureOther("jax.ts", workload, block) },
  { name: "tfjs-webgpu", measure: (workload, block) => measureOther("tfjs.ts", workload, block) },
];

const { names, rounds } = readArguments(Deno.args);
const chosen = libraries.filter(({ name }) =>
  names.includes(name) || !libraries.some(({ name }) => names.includes(name))
);
const subjects = [...Object.keys(WORKLOADS), KERNELS];
const asked = subjects.filter((name) => names.includes(name));
for (const name of asked.length === 0 ? subjects : asked) {
  if (name === KERNELS) await compareKernels(chosen.map(({ name }) => name), rounds);
  else await compare(WORKLOADS[name]!);
}

async function compare(workload: Workload): Promise<void> {
  const block = BLOCKS[workload.name]!;
  console.log(`${workload.name}, batch ${workload.batch}, ${rounds} rounds of ${block.steps} steps, ${load()}\n`);
  const times = new Map<string, Measured[]>(chosen.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < chosen.length; i++) {
      const { name, measure } = chosen[(i + round) % chosen.length]!;
      const measured = await measure(workload, block);
      const [first, last] = measured.losses;
      if (!(Number.isFinite(first) && last < first)) {
        throw new Error(`${name} does not learn: loss ${first} to ${last}`);
      }
      times.get(name)!.push(measured);
    }
  }
  print(workload, times);
  console.log(`\nafterwards ${load()}\n`);
}

function print({ batch }: Workload, times: ReadonlyMap<string, readonly Measured[]>): void {
  const own = times.get("tacho");
  console.log("| library | ms/step | range | images/s | Tacho is faster by | range | loss, first to last |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | --- |");
  for (const [name, blocks] of times) {
    const steps = blocks.map(({ step }) => step);
    const ratios = name === "tacho" || own === undefined ? [] : steps.map((step, i) => step / own[i]!.step);
    const [first, last] = blocks[0]!.losses;
    console.log(
      `| ${name} | ${median(steps).toFixed(1)} | ${rangeOf(steps, 1)} | ${
        (1000 * batch / median(steps)).toFixed(1)
      } | ` +
        `${ratios.length === 0 ? "" : `${median(ratios).toFixed(2)}x`} | ${rangeOf(ratios, 2)} | ` +
        `${first.toFixed(3)} to ${last.toFixed(3)} |`,
    );
  }
}

async function measureTacho({ name, batch }: Workload, { steps, skip }: Block): Promise<Measured> {
  const measure = ["--steps", `${steps}`, "--skip", `${skip}`, "--rounds", "1", "--json", "-"];
  const text = await runOwn("tacho.ts", `net=${name}`, `loader.batchSize=${batch}`, ...measure);
  const result: Result = resultSchema.parse(JSON.parse(text));
  const [variant] = result.variants;
  if (variant === undefined || variant.metrics.ips === null) throw new Error("tacho returned no throughput");
  return {
    library: "tacho",
    step: 1000 * batch / variant.metrics.ips.value,
    firstStep: variant.metrics.firstStep?.value ?? null,
    losses: [Number(variant.losses[0]), Number(variant.losses.at(-1))],
  };
}

async function measureOther(file: string, { name }: Workload, { steps, skip }: Block): Promise<Measured> {
  return lastLine(await runPeer(file, name, "--steps", `${steps}`, "--skip", `${skip}`));
}

function readArguments(args: readonly string[]): { names: string[]; rounds: number } {
  const at = args.indexOf("--rounds");
  const rounds = at < 0 ? 5 : Number(args[at + 1]);
  const names = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const known = [...libraries.map(({ name }) => name), ...Object.keys(WORKLOADS), KERNELS];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`Expected some of ${known.join(", ")}, got "${unknown}"`);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds: expected a whole number above 0`);
  return { names, rounds };
}
