/**
 * The five rungs of MindSpore's tuning case as one cumulative matrix: the start (one worker, transforms that convert layouts
 * and types back and forth, a wait for each loss), several workers, uniform transforms, a sink, and O3. A residual network
 * reads images with a delay per sample, like files from a network disk. Below the matrix, each rung stands beside the
 * published figures, with the device's idle time between steps before and after it; of an interrupted run, the rungs so far.
 * A rung without a clear gain is explained by the times of this run.
 *
 *     deno run -A scripts/mindspore_ladder.ts
 *     deno run -A scripts/mindspore_ladder.ts depth=32 read=10 --rounds 12
 */
import { cifar10, crossEntropy, resnet, type Result, run, scenario, sgd, transforms as t, z } from "../mod.ts";
import { speedupSoFar } from "../runtime/analysis/comparison/compare.ts";

const MIXED = [
  t.chwToHwc(),
  t.toF32(),
  t.randomResizedCrop(32),
  t.hwcToChw(),
  t.toU8(),
  t.randomHorizontalFlip(),
  t.chwToHwc(),
  t.normalize("cifar10"),
];
const UNIFORM = [t.randomResizedCrop(32), t.randomHorizontalFlip(), t.normalize("cifar10")];

const workers = { loader: { numWorkers: 4 } };
const uniform = { ...workers, data: { transforms: UNIFORM, fuse: true } };
const sink = { ...uniform, monitor: "block", sink: 3 } as const;
const o3 = { ...sink, amp: "O3" } as const;

export default scenario({
  name: "mindspore-ladder",
  params: {
    depth: z.coerce.number().default(20).describe("layers of the network: 20, 32, 44, 56, or 18, 34, 50"),
    read: z.coerce.number().min(0).default(100).describe("delay for each sample read, in ms"),
  },
  model: ({ depth }) => resnet({ depth, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01, momentum: 0.9 }),
  data: ({ read }) => cifar10({ transforms: MIXED, fuse: false, delay: { read } }),
  loader: { batchSize: 8, numWorkers: 1, prefetch: 2 },
  monitor: "step",
  measure: { steps: 3, skip: 2, maxSkip: 4, rounds: 8 },
  variants: { start: {}, workers, uniform, sink, o3 },
  adapters: { software: { loader: { batchSize: 4 } } }, // all rungs in less than three minutes
});

type Metrics = Result["variants"][number]["metrics"];

/** Part of a step that a rung shortens: words for it, and its time in ms; null if it was not measured. */
interface Part {
  readonly name: string;
  readonly time: (metrics: Metrics) => number | null;
}

/** Rung of the ladder. */
interface Rung {
  readonly variant: string;
  readonly change: string;
  /** Published throughput after the rung: images/s. */
  readonly published: number;
  /** Published iteration gap before and after it: ms. */
  readonly publishedGap?: readonly [before: number, after: number];
  readonly shortens: Part;
}

const WAIT: Part = { name: "waiting for a batch", time: ({ readerCost }) => readerCost?.value ?? null };
const NO_METRICS: Pick<Metrics, "iterationGap"> = { iterationGap: null };
const GAP = {
  name: "the device idle between steps",
  time: ({ iterationGap }: Pick<Metrics, "iterationGap">) => iterationGap?.value ?? null,
};
const KERNELS: Part = {
  name: "kernels of the three phases",
  time: ({ forward, backward, update }) => {
    const phases = [forward, backward, update].map((phase) => phase?.value ?? null);
    return phases.reduce((sum, time) => sum === null || time === null ? null : sum + time);
  },
};

/** Published throughput of the start: images/s. */
const PUBLISHED_START = 1100;

/**
 * Published: the tuning case of MindSpore's Profiler on an Ascend 910, in its order: more workers, uniform transforms, sink mode,
 * mixed precision.
 */
export const RUNGS: readonly Rung[] = [
  { variant: "workers", change: "1 worker -> 4", published: 2150, publishedGap: [77.5, 17.1], shortens: WAIT },
  { variant: "uniform", change: "mixed transforms -> uniform ones", published: 2250, shortens: WAIT },
  { variant: "sink", change: "loss of each step read -> 3 steps at once", published: 2350, shortens: GAP },
  { variant: "o3", change: "f32 -> f16 (O3)", published: 3500, shortens: KERNELS },
];

/** Gain, with the 95 % interval where there is one. */
type Gain = NonNullable<ReturnType<typeof speedupSoFar>>;

/** Returns the table of the rungs that a result has: the published and the measured gain of each over the one before. */
export function ladderTable({ variants }: Pick<Result, "variants">): string[] {
  const find = (name: string) => variants.find((variant) => variant.name === name);
  const blocksOf = (name: string) => find(name)?.blocks ?? [];
  const notes: string[] = [];
  const rows = RUNGS.flatMap(({ variant, change, published, publishedGap, shortens }, i) => {
    const blocks = blocksOf(variant);
    if (blocks.length === 0) return [];
    const before = RUNGS[i - 1]?.variant ?? START;
    const gain = speedupSoFar(blocks, blocksOf(before));
    if (gain !== null && !shows(gain)) notes.push(noteOf(shortens, find(before)!, find(variant)!));
    const total = speedupSoFar(blocks, blocksOf(START));
    const known = published / (RUNGS[i - 1]?.published ?? PUBLISHED_START);
    const gaps = [before, variant].map((name) => milliseconds(GAP.time(find(name)?.metrics ?? NO_METRICS)));
    return [[
      ...[variant, change, `${published}`, times({ value: known, low: null, high: null })],
      ...[throughput(find(variant)!), times(gain), interval(gain), times(total)],
      ...[publishedGap?.join(" -> ") ?? "–", gaps.join(" -> ")],
    ]];
  });
  if (rows.length === 0) return [];
  const head = [
    ...["rung", "change", "published", "gain", "measured", "gain", "95 % interval", "since the start"],
    ...["published gap", "gap ms"],
  ];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)).join("  ").trimEnd();
  return [
    "Throughput in images/s, and the gain of each rung over the one before it; published: MindSpore on an Ascend 910",
    line(head),
    ...[[START, "", `${PUBLISHED_START}`, "", throughput(find(START)), "", "", "", "", ""], ...rows].map(line),
    ...notes.length === 0 ? [] : ["No clear gain in this run, and the time that the rung could shorten:", ...notes],
  ];
}

/** Returns the measured throughput, as text. */
function throughput(variant: Pick<Result["variants"][number], "metrics"> | undefined): string {
  return variant?.metrics.ips?.value.toPrecision(3) ?? "–";
}

type Measured = Pick<Result["variants"][number], "name" | "metrics">;

/** Returns the part of a step that a rung shortens, before and after it, as one line. */
function noteOf({ name, time }: Part, before: Measured, after: Measured): string {
  const texts = [before, after].map(({ name, metrics }) =>
    `${milliseconds(time(metrics))} of ${milliseconds(metrics.batchCost?.value ?? null)} ms per step in ${name}`
  );
  return `${after.name}: ${name}: ${texts.join(", ")}`;
}

function milliseconds(time: number | null): string {
  if (time === null) return "–";
  return time >= 100 ? time.toFixed(0) : time >= 1 ? time.toPrecision(3) : time.toFixed(2);
}

const START = "start";

/** Gain below which a rung is explained, even if it is certain. */
const SHOWN = 1.05;

function shows({ value, low }: Gain): boolean {
  return value >= SHOWN && (low === null || low > 1);
}

function times(gain: Gain | null): string {
  return gain === null ? "–" : `×${gain.value.toFixed(2)}`;
}

function interval(gain: Gain | null): string {
  return gain === null || gain.low === null || gain.high === null
    ? "–"
    : `${gain.low.toFixed(2)}-${gain.high.toFixed(2)}`;
}

if (import.meta.main) {
  let table: readonly string[] = [];
  // stdout may hold JSON
  const print = Deno.args.some((arg) => arg === "-" || arg === "--json-lines") ? console.error : console.log;
  // Also at the end of an interrupted run, which exits
  globalThis.addEventListener("unload", () => {
    if (table.length > 0) print(`\n${table.join("\n")}`);
  });
  await run({
    onEvent: (event) => {
      if (event.type === "result") table = ladderTable(event.result);
    },
  });
}
