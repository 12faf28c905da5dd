/**
 * Compares a training step and single kernels in Tacho with other libraries that train on WebGPU. The libraries are programs
 * in one matrix with Tacho: interleaved blocks, a control arm, intervals and verdicts.
 *
 *     deno task bench:peers                      # all nets, the kernels, all libraries
 *     deno task bench:peers lenet --rounds 9     # one net; more rounds
 *     deno task bench:peers gpt vit              # the transformers, also against jax-js on WebAssembly
 *     deno task bench:peers tacho jax-js         # two libraries
 *     deno task bench:peers kernels              # only the kernels
 *     deno task bench:peers gpt --no-profile     # without profiling the programs after the rounds
 *
 * The other libraries are dependencies of `bench/peers/deno.json` only. The time is wall time per step, from a batch in
 * host memory to all losses of a block on the host, without compilation before the first step. Transformers start from
 * the same weights in every library, and their first losses must agree.
 *
 * @module
 */
import { join } from "node:path";
import { measure, program, type ProgramSpec, type ProgressEvent, render, type Result, type Scenario } from "../mod.ts";
import { compareKernels } from "./peer_kernels.ts";
import { load } from "./peer_process.ts";
import images from "./peers/tacho.ts";
import transformers from "./peers/tacho_transformer.ts";
import { settingsOf } from "./peers/tacho_weights.ts";
import { TRANSFORMERS } from "./peers/transformers.ts";
import { WORKLOADS } from "./peers/workload.ts";

/** Argument that selects the single kernels. */
const KERNELS = "kernels";

/** Flag that leaves out the profiles of the programs. */
const NO_PROFILE = "--no-profile";

/** Name of Tacho among the libraries. */
const OWN = "tacho";

/** Sizes of blocks. */
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
  /** Start of the names of its scripts, and an argument for them; null for Tacho. */
  readonly script: string | null;
  readonly argument?: string;
  /** True if it trains transformers only. */
  readonly onlyTransformers?: boolean;
}

const BLOCKS: Readonly<Record<string, Block>> = {
  lenet: { steps: 20, skip: 4 },
  resnet20: { steps: 4, skip: 2 },
  gpt: { steps: 4, skip: 3 },
  vit: { steps: 2, skip: 3 },
};

const NETS: Readonly<Record<string, Net>> = { ...WORKLOADS, ...TRANSFORMERS };

/** Steps whose losses must agree, and the largest difference: rounding grows from one update to the next. */
const COMPARED_STEPS = 3;
const LOSS_TOLERANCE = 2e-5;

/** Longest step of a program, the first included, in ms. */
const TIMEOUT = 600_000;

const LIBRARIES: readonly Library[] = [
  { name: OWN, script: null },
  { name: "jax-js", script: "jax" },
  { name: "jax-js-wasm", script: "jax", argument: "wasm", onlyTransformers: true },
  { name: "tfjs-webgpu", script: "tfjs" },
];

let shown = "";
const folder = join(import.meta.dirname!, "peers");
const { names, rounds, profile } = readArguments(Deno.args);
const chosen = LIBRARIES.filter(({ name }) =>
  names.includes(name) || !LIBRARIES.some(({ name }) => names.includes(name))
);
const subjects = [...Object.keys(NETS), KERNELS];
const asked = subjects.filter((name) => names.includes(name));
for (const name of asked.length === 0 ? subjects : asked) {
  const able = chosen.filter(({ onlyTransformers = false }) => !onlyTransformers || name in TRANSFORMERS);
  if (name === KERNELS) await compareKernels(able.map(({ name }) => name), rounds);
  else await compare(NETS[name]!, able);
}

async function compare(net: Net, libraries: readonly Library[]): Promise<void> {
  const { steps, skip } = BLOCKS[net.name]!;
  console.log(`${net.name}, batch ${net.batch}, ${rounds} rounds of ${steps} steps, ${load()}\n`);
  const programs = Object.fromEntries(
    libraries.flatMap(({ name, script, argument }) =>
      script === null ? [] : [[name, peer(net, script, argument === undefined ? [] : [argument])]]
    ),
  );
  const own = libraries.some(({ name }) => name === OWN);
  const task = TRANSFORMERS[net.name];
  const definition: Scenario = task === undefined ? images : transformers;
  const settings = task === undefined ? [`net=${net.name}`, `loader.batchSize=${net.batch}`] : await settingsOf(task);
  const measured = { steps, skip, maxSkip: skip, rounds };
  const result = own
    ? await measure({ ...definition, name: net.name, variants: { [OWN]: {} }, programs, measure: measured }, {
      settings,
      onProgress,
    })
    : await measure({ name: net.name, programs, measure: measured }, { onProgress });
  console.log(await render(result));
  checkLosses(result, net, skip);
  console.log(`\nafterwards ${load()}\n`);
}

/** Prints each stage of a variant once. */
function onProgress({ variant, stage, message = "" }: ProgressEvent): void {
  const line = [variant, stage, message].filter((part) => part !== null && part !== "").join(" ");
  if (line !== shown) console.error(line);
  shown = line;
}

/** Returns the program that trains a net in a library. */
function peer({ name, batch }: Net, library: string, more: readonly string[]): ProgramSpec {
  const { steps, skip } = BLOCKS[name]!;
  const script = join(folder, name in TRANSFORMERS ? `${library}_transformer.ts` : `${library}.ts`);
  const flags = ["run", "-A", "--quiet", "--config", join(folder, "deno.json")];
  const env = Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {};
  return program([Deno.execPath(), ...flags, script, name, "--steps", `${steps}`, "--skip", `${skip}`, ...more], {
    ...{ unit: "samples", perStep: batch },
    ...{ steps: "mark", env, timeout: TIMEOUT, profile },
  });
}

/** Checks that every library learns, and that transformers have the same first losses. */
function checkLosses({ variants }: Result, { name: net }: Net, skip: number): void {
  const measured = variants.filter(({ status }) => status === "ok");
  for (const { name, losses } of measured) {
    const known = losses.filter((loss) => loss !== null).map(Number);
    const [first, last] = [known[0]!, known.at(-1)!];
    console.log(`${name}: loss ${first.toFixed(3)} to ${last.toFixed(3)}`);
    if (!(last < first)) throw new Error(`${name} does not learn: loss ${first} to ${last}`);
  }
  if (!(net in TRANSFORMERS)) return;
  for (let step = 0; step < Math.min(skip, COMPARED_STEPS); step++) {
    const losses = measured.map(({ losses }) => Number(losses[step]));
    const apart = Math.max(...losses) - Math.min(...losses);
    if (!(apart <= LOSS_TOLERANCE)) throw new Error(`losses of step ${step} differ: ${losses.join(", ")}`);
    console.log(`loss ${step}: ${losses[0]!.toFixed(6)}, at most ${apart.toExponential(1)} apart`);
  }
}

function readArguments(all: readonly string[]): { names: string[]; rounds: number; profile: boolean } {
  const args = all.filter((arg) => arg !== NO_PROFILE);
  const at = args.indexOf("--rounds");
  const rounds = at < 0 ? 6 : Number(args[at + 1]);
  const names = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const known = [...LIBRARIES.map(({ name }) => name), ...Object.keys(NETS), KERNELS];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`Expected some of ${known.join(", ")}, got "${unknown}"`);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds: expected a whole number above 0`);
  return { names, rounds, profile: args.length === all.length };
}
