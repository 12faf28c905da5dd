/**
 * Speed of the loader alone: `deno task bench:loader`. Measures the gain of a second worker on JPEG files, the cost of
 * handing over a batch, the throughput of two workers on CIFAR images, and the cost of timing the stages. Configurations
 * take turns, and the results are medians over the rounds. The machine's load is printed, because workers need free
 * cores. Then it compares images per second of processor time with PyTorch's DataLoader (one worker) and sharp, where
 * they are installed. `PYTHON` is the path of the Python that has PyTorch (`python3` by default).
 *
 *     deno task bench:loader
 *     deno task bench:loader --peers                   # only the comparison
 *     deno run -A --deny-ffi bench/loader.ts --peers   # without the system's libjpeg-turbo
 *
 * @module
 */
import makeEncoder from "@jsquash/jpeg/codec/enc/mozjpeg_enc.js";
import { availableParallelism, loadavg } from "node:os";
import { cpuUsage } from "node:process";
import { join } from "node:path";
import { RandomStream } from "../runtime/core/random.ts";
import { cifar10 } from "../runtime/data/sources/cifar10.ts";
import { imageFolder } from "../runtime/data/sources/image_folder.ts";
import { createLoader } from "../runtime/data/loader/create_loader.ts";
import type { Loader } from "../runtime/data/loader/loader.ts";
import type { LoaderOptions } from "../runtime/data/loader/options.ts";
import type { DataSpec } from "../runtime/data/sources/sources.ts";
import * as t from "../runtime/data/transforms/factories.ts";
import { peerSpeeds } from "./loader/peers.ts";

const ROUNDS = 7;
const ROUND_MS = 700;

/** Number of files, of 500 x 375 pixels, the average size in ImageNet. */
const FILES = 96;
const [WIDTH, HEIGHT] = [500, 375];

interface Encoder {
  encode(data: Uint8Array, width: number, height: number, options: Record<string, number | boolean>): Uint8Array;
}

const ENCODING = {
  quality: 85,
  baseline: true,
  arithmetic: false,
  progressive: false,
  optimize_coding: true,
  smoothing: 0,
  color_space: 3,
  quant_table: 3,
  trellis_multipass: false,
  trellis_opt_zero: false,
  trellis_opt_table: false,
  trellis_loops: 1,
  auto_subsample: true,
  chroma_subsample: 2,
  separate_chroma_quality: false,
  chroma_quality: 75,
};

/** Writes JPEG files of two classes, with waves and some noise, which compress about as well as photos. */
async function writePhotos(dir: string): Promise<number> {
  const encoder = await makeEncoder({ noInitialRun: true }) as unknown as Encoder;
  const pixels = new Uint8Array(WIDTH * HEIGHT * 4);
  let bytes = 0;
  for (let file = 0; file < FILES; file++) {
    const random = new RandomStream(file);
    const waves = Array.from({ length: 9 }, () => [random.uniform() / 9, random.uniform() / 9, random.uniform() * 6]);
    for (let i = 0; i < pixels.length; i++) {
      const [a, b, c] = waves[(i & 3) * 2 % 9]!;
      const [x, y] = [(i >> 2) % WIDTH, Math.floor((i >> 2) / WIDTH)];
      pixels[i] = (i & 3) === 3 ? 255 : 128 + 90 * Math.sin(a! * x + b! * y + c!) + 12 * random.uniform();
    }
    const jpeg = encoder.encode(pixels, WIDTH, HEIGHT, ENCODING);
    const folder = join(dir, file % 2 === 0 ? "even" : "odd");
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeFileSync(join(folder, `${file}.jpg`), jpeg);
    bytes += jpeg.length;
  }
  return bytes / FILES;
}

function open(spec: DataSpec, options: Partial<LoaderOptions>): Promise<Loader> {
  return createLoader(spec, {
    ...{ batchSize: 32, numWorkers: 1, prefetch: 4, shuffle: true, dropLast: true, seed: 1 },
    ...{ split: "train", layout: "nhwc" } as const,
    ...options,
  });
}

/** Returns each loader's median throughput over the rounds, in samples per second; the loaders take turns. */
async function rates(loaders: readonly Loader[]): Promise<number[]> {
  for (const loader of loaders) {
    await run(loader, ROUND_MS / 2);
    loader.pause();
  }
  const rounds: number[][] = loaders.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, loader] of loaders.entries()) {
      loader.resume();
      for (let ready = loader.slots ?? 0; ready > 0; ready--) (await loader.next()).release();
      if (round === 0) loader.resetProfile();
      rounds[i]!.push(await run(loader, ROUND_MS));
      loader.pause();
    }
  }
  return rounds.map(median);
}

async function run(loader: Loader, ms: number): Promise<number> {
  const begin = performance.now();
  let samples = 0;
  while (performance.now() - begin < ms) {
    const batch = await loader.next();
    samples += batch.size;
    batch.release();
  }
  return samples / (performance.now() - begin) * 1000;
}

/** Returns the images per second of processor time of all threads: the best of several runs. */
async function perProcessorSecond(spec: DataSpec, batchSize: number): Promise<number> {
  await using loader = await open(spec, { numWorkers: 1, batchSize });
  await run(loader, ROUND_MS);
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [begin, before] = [performance.now(), cpuUsage()];
    const rate = await run(loader, ROUND_MS);
    const { user, system } = cpuUsage(before);
    best = Math.max(best, rate * (performance.now() - begin) * 1000 / (user + system));
  }
  return best;
}

/** Returns the time of handing over a ready batch, in ms: `next()` and the worker's part. */
async function handOver(loader: Loader): Promise<number> {
  const times: number[] = [];
  loader.resetProfile();
  for (let i = 0; i < 400; i++) {
    while (loader.queueDepth() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const begin = performance.now();
    const batch = await loader.next();
    times.push(performance.now() - begin);
    batch.release();
  }
  const { handOver, batches } = loader.profile();
  console.log(
    `  ready batch: next() ${median(times).toFixed(4)} ms (median of ${times.length}), ` +
      `both sides ${(handOver!.sum / batches).toFixed(4)} ms on average, at most ${handOver!.max.toFixed(2)} ms`,
  );
  return median(times);
}

/** Returns the cost of timing the stages, as a fraction of the time in which samples were made. */
function timingCost(loader: Loader): number {
  const begin = performance.now();
  for (let i = 0; i < 1e5; i++) performance.now();
  const call = (performance.now() - begin) / 1e5;
  const { threads, stages } = loader.profile();
  const timed = threads.reduce((sum, thread) => sum + thread.timed, 0);
  const made = threads.reduce((sum, { make }) => sum + make.sum, 0);
  return timed * (stages.length + 1) * call / made;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function load(): string {
  return `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}`;
}

console.log(load());
const AUGMENT = [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")];
const dir = Deno.makeTempDirSync({ prefix: "tacho-bench-" });
try {
  const size = await writePhotos(dir);
  const photos = imageFolder({
    dir,
    transforms: [t.randomResizedCrop(224), t.randomHorizontalFlip(), t.normalize("imagenet")],
  });
  const peers = peerSpeeds(dir);
  const cell = (rate: number | undefined) => (rate === undefined ? "–" : rate.toFixed(0)).padStart(10);
  console.log(`images/s of processor time, one worker${" ".repeat(10)}JPEG     CIFAR`);
  const own = {
    jpeg: await perProcessorSecond(photos, 32),
    cifar: await perProcessorSecond(cifar10({ transforms: AUGMENT }), 128),
  };
  for (const [name, speed] of Object.entries({ Tacho: own, ...peers })) {
    console.log(`  ${name.padEnd(40)}${cell(speed?.jpeg)}${cell(speed?.cifar)}  (${load()})`);
  }
  if (Deno.args.includes("--peers")) {
    Deno.removeSync(dir, { recursive: true });
    Deno.exit(0);
  }
  await using one = await open(photos, { numWorkers: 1 });
  await using two = await open(photos, { numWorkers: 2 });
  await using main = await open(photos, { numWorkers: 0 });
  const [a, b, c] = await rates([one, two, main]);
  console.log(`JPEG ${WIDTH} x ${HEIGHT}, ${(size / 1024).toFixed(0)} KiB a file, to 224 x 224, batch 32:`);
  console.log(`  main thread ${c!.toFixed(0)} images/s, 1 worker ${a!.toFixed(0)}, 2 workers ${b!.toFixed(0)}`);
  console.log(`  2 workers / 1 worker: ${(b! / a!).toFixed(2)} (target 1.7 with free cores; ${load()})`);
  console.log(`  timing the stages: ${(timingCost(one) * 100).toFixed(3)} %`);
} finally {
  Deno.removeSync(dir, { recursive: true });
}

for (const [name, transforms] of [["as they are", []], ["crop, flip, normalize", AUGMENT]] as const) {
  const spec = cifar10({ transforms: [...transforms] });
  await using one = await open(spec, { numWorkers: 1, batchSize: 128 });
  await using two = await open(spec, { numWorkers: 2, batchSize: 128 });
  const [a, b] = await rates([one, two]);
  console.log(
    `CIFAR-10, ${name}, batch 128: 1 worker ${a!.toFixed(0)} images/s, 2 workers ${b!.toFixed(0)} (${load()})`,
  );
  console.log(`  timing the stages: ${(timingCost(two) * 100).toFixed(3)} %`);
  one.resume();
  await handOver(one);
}
