/**
 * Three ways to time a network on the device, compared: around the submit, with a wait, and by the device's timestamps. The
 * network is that of a text on PyTorch's timing ("How to time the inference of a PyTorch model accurately"): a CNN in two
 * parts, of which the text times the whole, 50 times, and prints the mean of the last 45 in seconds. Here the parts are
 * measured alone and with a CPU task between them. The device is idle before each repeat.
 *
 *     deno run -A scripts/timing_methods.ts
 *     deno run -A scripts/timing_methods.ts --repeats 10    # in a fifth of the time, with wider spreads
 */
import { parseArgs } from "node:util";
import {
  adaptiveAvgPool2d,
  conv2d,
  flatten,
  gelu,
  hostTask,
  infer,
  InputError,
  linear,
  openPipeline,
  pipeline,
  type PipelineTimes,
  sequential,
  type Timing,
} from "../mod.ts";
import { printable, printableLines } from "../runtime/core/printable.ts";
import { findAdapter } from "../runtime/device/adapter.ts";

const METHODS: readonly Timing[] = ["host", "sync", "event"];
const REPEATS = 50;
/** Fraction of the repeats that are discarded. */
const SKIPPED = 0.1;

const SOFTWARE_NOTE =
  `This software adapter cannot show everything: kernels run on the cores that the CPU task needs, so the two slow each
other down where a GPU would overlap them. A submit also blocks until the previous one is done, so host timing charges the
first part to the second.`;

/** A software adapter uses an eighth of the widths and smaller images, so that a repeat takes about 10 ms there too. */
const SIZES = {
  gpu: { batch: 32, image: 224, widths: [512, 1024], linear: [2048, 512, 1] },
  software: { batch: 8, image: 64, widths: [64, 128], linear: [256, 64, 1] },
} as const;

type Sizes = (typeof SIZES)[keyof typeof SIZES];

function features({ widths }: Sizes) {
  const [first, second] = widths;
  return sequential(
    conv2d(first, { kernel: 3, stride: 2, padding: 1 }),
    gelu(),
    conv2d(second, { kernel: 3, stride: 2, padding: 1 }),
    gelu(),
  );
}

function classifier({ linear: [first, second, outputs] }: Sizes) {
  return sequential(
    adaptiveAvgPool2d(1),
    flatten(),
    linear(first),
    gelu(),
    linear(second),
    gelu(),
    linear(outputs),
  );
}

/** Returns work for one core that takes about this long and cannot be optimised away. */
function cpuTask(milliseconds: number): () => number {
  const work = (n: number) => {
    let sum = 0;
    for (let i = 1; i <= n; i++) sum += Math.sin(i) * Math.sqrt(i);
    return sum;
  };
  const timeOf = (n: number) => {
    const start = performance.now();
    if (Number.isNaN(work(n))) throw new Error("The sum overflowed");
    return performance.now() - start;
  };
  const n = 1_000_000;
  // The first runs are not compiled yet, and other processes may use the core
  const took = Math.min(...Array.from({ length: 10 }, () => timeOf(n)));
  const wanted = Math.ceil(n * milliseconds / took);
  return () => work(wanted);
}

/** Returns the median in ms; NaN if the adapter has no times. */
function median(times: readonly (number | null)[]): number {
  const known = times.filter((time) => time !== null).toSorted((a, b) => a - b);
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle]! : (known[middle - 1]! + known[middle]!) / 2;
}

/** The text's name of each method. */
const PUBLISHED: Readonly<Record<Timing, string>> = { host: "avg time", sync: "syn avg time", event: "event avg time" };

/**
 * Returns the lines that the text prints, means in seconds, with our medians beside them, and how far apart the methods are,
 * which the text has as less than 1 ms for the last two.
 */
export function publishedLines(results: Readonly<Record<Timing, Pick<PipelineTimes, "total">>>): string[] {
  const known = (method: Timing) => results[method].total.filter((time) => time !== null);
  const mean = (method: Timing) => known(method).reduce((sum, time) => sum + time, 0) / known(method).length;
  const lines = METHODS.map((method) => {
    const seconds = known(method).length === 0 ? "–" : (mean(method) / 1000).toFixed(5);
    const own = format(median(results[method].total));
    return `${`${PUBLISHED[method]}: ${seconds}`.padEnd(26)}median ${own.padStart(8)} ms, ${
      known(method).length
    } repeats`;
  });
  const apart = Math.abs(mean("sync") - mean("event"));
  return [
    ...lines,
    Number.isNaN(apart)
      ? "syn and event: the adapter has no timestamps for event timing"
      : `syn and event are ${apart.toFixed(2)} ms apart; in the text less than 1 ms`,
    `without a wait ${percent(mean("host") / mean("sync"))} of the time is seen; in the text a very short part`,
  ];
}

function print(title: string, results: Record<Timing, PipelineTimes>): void {
  console.log(`\n${title}: medians in ms`);
  console.log(["".padEnd(12), ...METHODS.map((method) => method.padStart(9))].join(""));
  const row = (name: string, times: (result: PipelineTimes) => readonly (number | null)[]) => {
    const cells = METHODS.map((method) => format(median(times(results[method]))).padStart(9));
    console.log([name.padEnd(12), ...cells].join(""));
  };
  results.host.stages.forEach(({ name }, i) => row(name, (result) => result.stages[i]!.times));
  row("total", (result) => result.total);
  row("wall time", (result) => result.wall);
}

function format(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? "–" : milliseconds.toFixed(2);
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

const USAGE = "usage: deno run -A scripts/timing_methods.ts [--repeats N] [--help]";

/**
 * Returns the number of repeats from the command line, or `null` if help is asked for.
 *
 * @throws {InputError} for other arguments
 */
function readRepeats(args: readonly string[]): number | null {
  let repeats: string | undefined;
  let help: boolean | undefined;
  try {
    const options = { repeats: { type: "string" }, help: { type: "boolean", short: "h" } } as const;
    ({ repeats, help } = parseArgs({ args: [...args], options }).values);
  } catch (error) {
    throw new InputError(`${(error as Error).message}; ${USAGE}`, { cause: error });
  }
  if (help) return null;
  const count = repeats === undefined ? REPEATS : Number(repeats);
  if (Number.isSafeInteger(count) && count >= 2) return count;
  throw new InputError(`--repeats: expected a whole number of at least 2, got ${repeats}; ${USAGE}`);
}

async function main(args: readonly string[]): Promise<void> {
  const count = readRepeats(args);
  if (count === null) {
    console.log(
      `${USAGE}\n\nCompares three ways to time a network. --repeats N: runs per method (default: ${REPEATS})`,
    );
    return;
  }
  const skip = Math.max(1, Math.round(SKIPPED * count));
  const software = (await findAdapter())?.info.fallback ?? false;
  const sizes = software ? SIZES.software : SIZES.gpu;
  const input = [sizes.batch, 3, sizes.image, sizes.image];
  const first = infer(features(sizes), { name: "features" });
  const second = infer(classifier(sizes), { name: "classifier" });
  const repeats = { repeats: count, skip };

  await using plain = await openPipeline(pipeline([first, second]), { input });
  console.log(
    `${printable(plain.device.info.name)}: images ${input.join("x")}, channels 3 -> ${sizes.widths.join(" -> ")}`,
  );
  console.log(`${count} repeats, the first ${skip} discarded, device idle before each, methods interleaved`);
  const alone = await plain.compare(repeats);
  print("The two parts alone", alone);
  console.log(`\nThe whole network, as the text prints it: means in seconds`);
  for (const line of publishedLines(alone)) console.log(line);

  const task = hostTask(cpuTask(median(alone.sync.stages[0]!.times)), { name: "CPU task" });
  await using mixed = await openPipeline(pipeline([first, task, second]), { input });
  const together = await mixed.compare(repeats);
  print("With a CPU task between them", together);

  console.log();
  for (const i of [0, 1]) compareStage(alone, i);
  const [waiting, free] = [median(together.sync.wall), median(together.event.wall)];
  console.log(`With the CPU task, waiting after each part makes the pipeline ${percent(waiting / free - 1)} longer`);
  if (software) console.log(`\n${SOFTWARE_NOTE}`);
}

/** Compares the methods for one part. */
function compareStage(results: Record<Timing, PipelineTimes>, stage: number): void {
  const { name } = results.sync.stages[stage]!;
  const [host, sync, event] = METHODS.map((method) => median(results[method].stages[stage]!.times));
  const agreement = Number.isNaN(event!)
    ? "the adapter has no timestamps for event timing"
    : `sync ${percent(sync! / event! - 1)} from event`;
  console.log(`${name}: host timing shows ${percent(host! / sync!)} of the time of sync timing; ${agreement}`);
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    console.error(`error: ${printableLines(error.message)}`);
    Deno.exit(2);
  }
}
