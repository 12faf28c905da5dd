/**
 * Measures the gain of fusing transforms, on one thread: `deno run -A bench/transforms.ts`. Each chain is timed fused
 * and one by one, in turns, on CIFAR images (32 x 32, planes of u8) or decoded photos (500 x 375, pixels of u8), after
 * a comparison of both results. Each measurement is a separate process: a loader runs a chain in only one of the two
 * ways, for which the JIT compiler generates faster code.
 *
 * @module
 */
import assert from "node:assert/strict";
import { TransformChain } from "../runtime/data/transforms/chain.ts";
import * as t from "../runtime/data/transforms/factories.ts";
import { resultType } from "../runtime/data/transforms/result_type.ts";
import type { TransformSpec } from "../runtime/data/transforms/schema.ts";
import type { SampleType } from "../runtime/data/transforms/transform.ts";

const CIFAR: SampleType = { dtype: "u8", channels: 3, height: 32, width: 32, order: "chw", image: true };
const PHOTO: SampleType = { dtype: "u8", channels: 3, height: 375, width: 500, order: "hwc", image: true };

const CASES: readonly (readonly [name: string, type: SampleType, specs: TransformSpec[]])[] = [
  ["CIFAR crop, flip, normalize", CIFAR, [
    t.randomCrop(32, { padding: 4 }),
    t.randomHorizontalFlip(),
    t.normalize("cifar10"),
  ]],
  ["CIFAR crop, flip, cutout, rescale, normalize, CHW to HWC", CIFAR, [
    t.randomCrop(32, { padding: 4 }),
    t.randomHorizontalFlip(),
    t.cutout(8),
    t.rescale(1 / 255),
    t.normalize("cifar10"),
    t.chwToHwc(),
  ]],
  ["CIFAR crop, flip, normalize with conversions back and forth", CIFAR, [
    t.chwToHwc(),
    t.toF32(),
    t.randomCrop(32, { padding: 4 }),
    t.hwcToChw(),
    t.toU8(),
    t.randomHorizontalFlip(),
    t.chwToHwc(),
    t.normalize("cifar10"),
  ]],
  ["photo randomResizedCrop(224), flip, normalize", PHOTO, [
    t.randomResizedCrop(224),
    t.randomHorizontalFlip(),
    t.normalize("imagenet"),
  ]],
  ["photo resize(256) without antialias, centerCrop(224), normalize", PHOTO, [
    t.resize(256, { antialias: false }),
    t.centerCrop(224),
    t.normalize("imagenet"),
  ]],
];

const ROUNDS = 5;
const ROUND_MS = 200;

const [index, fuse] = Deno.args;
if (index === undefined) { for (let i = 0; i < CASES.length; i++) compare(i); }
else console.log(time(Number(index), fuse === "true"));

/** Times a chain both ways in separate processes. */
function compare(index: number): void {
  const [name] = CASES[index]!;
  const ways = [make(index, true), make(index, false)] as const;
  for (let sample = 0; sample < 50; sample++) {
    for (const way of ways) way.run(sample);
    assert.deepEqual(ways[0].out, ways[1].out);
  }
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    [true, false].forEach((fuse, i) => {
      const args = ["run", "-A", import.meta.filename!, `${index}`, `${fuse}`];
      const { stdout } = new Deno.Command(Deno.execPath(), { args }).outputSync();
      times[i]!.push(Number(new TextDecoder().decode(stdout)));
    });
  }
  const [fused, single] = times.map(median) as [number, number];
  console.log(
    `${name}: fused ${micro(fused)}, one by one ${micro(single)}: ${(single / fused).toFixed(1)} times, ` +
      `${Math.round(1000 / fused)} images/s`,
  );
}

function make(index: number, fuse: boolean) {
  const [, type, specs] = CASES[index]!;
  const { channels, height, width } = resultType(specs, type, "data");
  const data = Uint8Array.from({ length: channels * type.height! * type.width! }, (_, i) => i * 2654435761 >>> 13);
  const source = { data, offset: 0 };
  const chain = TransformChain.of(specs, type, { layout: "nhwc", seed: 1, fuse });
  const out = new Float32Array(channels * height * width);
  return { out, run: (sample: number) => chain.run(source, out, 0, 0, sample) };
}

/** Returns the time per sample in ms: the median over several intervals. */
function time(index: number, fuse: boolean): number {
  const { run } = make(index, fuse);
  return median(Array.from({ length: ROUNDS }, () => perSample(run)));
}

function perSample(run: (sample: number) => void): number {
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < ROUND_MS) for (let i = 0; i < 10; i++) run(count++);
  return (performance.now() - begin) / count;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function micro(ms: number): string {
  return `${(1000 * ms).toFixed(1)} us`;
}
