import { median } from "../../runtime/core/statistics.ts";
import { groupOps } from "../../runtime/analysis/op_groups.ts";
import { roofsOf } from "../../runtime/analysis/roofline.ts";
import { lastLine, load, rangeOf, runOwn } from "../peer_process.ts";
import {
  LEARNING_RATE,
  type MeasuredNet,
  MOMENTUM,
  NETS,
  type NetTask,
  type Precision,
  type TachoMeasuredNet,
  type TachoNetTask,
  WEIGHT_DECAY,
} from "../peers/torch_net.ts";
import type { RecordCase } from "../record/recorder.ts";
import type { TorchArguments } from "./arguments.ts";
import { runTorch } from "./process.ts";

/** Largest relative difference between the losses of the first step that rounding explains. */
const SAME_LOSS = { f32: 1e-3, amp: 2e-2 } as const;
/** Number of kinds of ops in the table of limits. */
const KINDS = 5;
const MIB = 2 ** 20;

interface Library {
  readonly name: string;
  measure(task: NetTask, last: boolean): Promise<MeasuredNet>;
}

/** Blocks by library, in order of the rounds. */
type Blocks = ReadonlyMap<string, MeasuredNet[]>;

/**
 * Trains a net in Tacho and in PyTorch, which take turns; prints one table and the ops on which Tacho spends its time.
 */
export async function compareNets(
  options: TorchArguments,
  device: "cuda" | "cpu",
  precisions: readonly Precision[],
  record: RecordCase,
): Promise<void> {
  const { net, batch, image, rounds, steps, skip } = options;
  console.log(
    `${net}, ${image}x${image}, batch ${batch}, ${rounds} rounds of ${steps} steps after ${skip}, ${load()}\n`,
  );
  const folder = await Deno.makeTempDir();
  const all = new Map<Precision, Blocks>();
  try {
    for (const precision of precisions) {
      const task: NetTask = {
        ...NETS[net],
        batch,
        image,
        precision,
        skip,
        steps,
        learningRate: LEARNING_RATE,
        momentum: MOMENTUM,
        weightDecay: WEIGHT_DECAY,
        start: `${folder}/start.safetensors`,
      };
      await startTacho({ ...task, save: true });
      all.set(precision, await runRounds(librariesOf(options, device), task, rounds));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const blocks = [...all.values()][0]!.get("pytorch")![0]!;
  console.log(`${blocks.parameters.toLocaleString("en-US")} parameters in both\n`);
  printTimes(all, batch);
  for (const [precision, blocks] of all) {
    record(`${net} ${image}x${image}, batch ${batch}, ${precision}, PyTorch on ${device}`, figuresOf(blocks));
  }
  for (const [precision, blocks] of all) printLosses(precision, blocks, options.losses);
  if (device === "cpu") console.log("PyTorch's memory on the CPU is the growth of its process");
  for (const [precision, blocks] of all) printLimits(precision, blocks);
  console.log(`\nafterwards ${load()}`);
}

function librariesOf({ python, autotune, channelsLast }: TorchArguments, device: "cuda" | "cpu"): Library[] {
  const tuned: Library = {
    name: "tacho autotuned",
    measure: (task, last) => runTacho(task, { autotune: true, profile: last }),
  };
  return [
    { name: "tacho", measure: (task, last) => runTacho(task, { profile: last }) },
    ...autotune ? [tuned] : [],
    { name: "pytorch", measure: (task) => runTorch<MeasuredNet>(python, { ...task, do: "net", device, channelsLast }) },
  ];
}

async function runTacho(
  task: NetTask,
  options: Partial<Pick<TachoNetTask, "autotune" | "profile">>,
): Promise<TachoMeasuredNet> {
  return lastLine<TachoMeasuredNet>(await startTacho({ ...task, ...options }));
}

function startTacho(task: NetTask & Partial<TachoNetTask>): Promise<string> {
  const whole: TachoNetTask = { save: false, autotune: false, profile: false, ...task };
  return runOwn("tacho_net.ts", JSON.stringify(whole));
}

async function runRounds(libraries: readonly Library[], task: NetTask, rounds: number): Promise<Blocks> {
  const blocks = new Map<string, MeasuredNet[]>(libraries.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < libraries.length; i++) {
      const { name, measure } = libraries[(i + round) % libraries.length]!;
      blocks.get(name)!.push(await measure(task, round === rounds - 1));
    }
    check(task, [...blocks].map(([name, blocks]) => [name, blocks.at(-1)!]));
  }
  return blocks;
}

/**
 * Checks that the libraries train the same net from the same weights on the same batch.
 *
 * @throws {Error} if their parameters or losses differ
 */
function check({ precision }: NetTask, measured: readonly (readonly [string, MeasuredNet])[]): void {
  const [, { parameters, losses: [first = NaN] }] = measured[0]!;
  for (const [name, own] of measured) {
    if (own.parameters !== parameters) {
      throw new Error(`${name} has ${own.parameters} parameters, ${measured[0]![0]} ${parameters}`);
    }
    const [loss = NaN] = own.losses;
    if (!(Math.abs(loss - first) <= SAME_LOSS[precision] * first)) {
      throw new Error(`${name} starts from a loss of ${loss}, ${measured[0]![0]} from ${first}: the nets differ`);
    }
    const least = Math.min(...own.losses);
    if (!(least < loss)) {
      const hint = precision === "amp" ? " (steps are skipped while the loss scale decreases: raise --steps)" : "";
      throw new Error(`${name} does not learn${hint}: losses ${own.losses.join(", ")}`);
    }
  }
}

/** Returns the median times of each library, and Tacho's speed as a multiple of PyTorch's. */
function figuresOf(blocks: Blocks): Record<string, number> {
  const torch = blocks.get("pytorch")!;
  return Object.fromEntries([...blocks].flatMap(([name, own]) => {
    const prefix = name.replaceAll(" ", "_");
    const step = [`${prefix}_step_ms`, median(own.map(({ step }) => step))] as const;
    if (name === "pytorch") return [step];
    return [step, [`${prefix}_to_pytorch_ratio`, median(own.map(({ step }, i) => torch[i]!.step / step))] as const];
  }));
}

function printTimes(all: ReadonlyMap<Precision, Blocks>, batch: number): void {
  console.log(
    "| precision | library | ms/step | range | device ms | images/s | peak MiB | first loss s | Tacho's speed / PyTorch's | range | loss, first to last |",
  );
  console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
  for (const [precision, libraries] of all) {
    const torch = libraries.get("pytorch")!;
    for (const [name, blocks] of libraries) {
      const steps = blocks.map(({ step }) => step);
      const ratios = name === "pytorch" ? [] : steps.map((step, i) => torch[i]!.step / step);
      const some = (pick: (block: MeasuredNet) => number | null, unit: number, digits: number) => {
        const values = blocks.map(pick).filter((value) => value !== null);
        return values.length === 0 ? "–" : (median(values) / unit).toFixed(digits);
      };
      const { losses } = blocks[0]!;
      console.log(
        `| ${precision} | ${name} | ${median(steps).toFixed(2)} | ${rangeOf(steps, 2)} | ` +
          `${some(({ device }) => device, 1, 2)} | ${(1000 * batch / median(steps)).toFixed(1)} | ` +
          `${some(({ memory }) => memory, MIB, 0)} | ${some(({ firstLoss }) => firstLoss, 1000, 1)} | ` +
          `${ratios.length === 0 ? "" : `${median(ratios).toFixed(3)}x`} | ${rangeOf(ratios, 3)} | ` +
          `${losses[0]!.toFixed(3)} to ${losses.at(-1)!.toFixed(3)} |`,
      );
    }
  }
  console.log("");
}

function printLosses(precision: Precision, blocks: Blocks, every: boolean): void {
  const [tacho, torch] = [blocks.get("tacho")![0]!.losses, blocks.get("pytorch")![0]!.losses];
  const off = tacho.map((loss, i) => Math.abs(loss - torch[i]!) / torch[i]!);
  const part = (value: number) => `${(100 * value).toPrecision(2)} %`;
  console.log(
    `${precision}: losses of the first step differ by ${part(off[0]!)}, of the second, which gradients are in, by ` +
      part(off[1]!),
  );
  if (!every) return;
  for (const [name, [{ losses }]] of blocks as ReadonlyMap<string, [MeasuredNet]>) {
    console.log(`  ${name.padEnd(16)} ${losses.map((loss) => loss.toFixed(6)).join(" ")}`);
  }
}

/** Prints the kinds of ops that take the most time in a step, compared with the adapter's measured peaks. */
function printLimits(precision: Precision, blocks: Blocks): void {
  for (const [name, measured] of blocks) {
    const profile = (measured.at(-1) as TachoMeasuredNet).profile ?? null;
    if (profile === null) continue;
    const { ops, peaks } = profile;
    const giga = (value: number | null) => value === null ? "–" : (value / 1e9).toFixed(1);
    const roofs = roofsOf(ops, peaks);
    console.log(
      `\nWhere ${name} spends a step in ${precision}. Measured peaks: f32 ${giga(peaks.f32.value)} GFLOP/s, ` +
        `f16 ${giga(peaks.f16?.value ?? null)} GFLOP/s, copy ${giga(peaks.copy.value)} GB/s\n`,
    );
    console.log("| ops | number | ms/step | share | GFLOP/s | of f32 peak | GB/s | of copy peak | of the roof |");
    console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    const percent = (part: number | null) => part === null ? "–" : `${(100 * part).toFixed(0)} %`;
    for (const group of groupOps(ops, "type").slice(0, KINDS)) {
      const own = ops.filter(({ type }) => type === group.name);
      const roof = own.reduce((sum, { id }) => sum + (roofs.get(id)?.attainableTime ?? NaN), 0);
      const [flops, bytes, ms] = [group.flops ?? NaN, group.bytes ?? NaN, group.perStep ?? NaN];
      console.log(
        `| ${group.name} | ${group.ops} | ${ms.toFixed(2)} | ${percent(group.share)} | ` +
          `${(flops / ms / 1e6).toFixed(1)} | ${percent(1000 * flops / ms / peaks.f32.value)} | ` +
          `${(bytes / ms / 1e6).toFixed(1)} | ${percent(1000 * bytes / ms / peaks.copy.value)} | ` +
          `${Number.isNaN(roof) ? "–" : percent(roof / ms)} |`,
      );
    }
  }
}
