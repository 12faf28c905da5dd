import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { RandomStream } from "../../../runtime/core/random.ts";
import { TransformChain } from "../../../runtime/data/transforms/chain.ts";
import { stepsOf } from "../../../runtime/data/transforms/definitions.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import type { SampleType } from "../../../runtime/data/transforms/transform.ts";

/** Adds noise from the keyed stream, for either order and type. */
const noise = t.map(({ data }, random) => {
  const ceiling = data instanceof Uint8Array ? 256 : 3;
  for (let i = 0; i < data.length; i += 7) data[i] = random.below(ceiling);
});
const halved = t.map(({ data, channels }) => Float32Array.from({ length: channels * 20 }, (_, i) => data[i]! / 2), {
  output: { dtype: "f32", height: 4, width: 5 },
});

type Make = (type: SampleType) => TransformSpec;

const STEPS: readonly Make[] = [
  ({ height, width }) => t.randomCrop(Math.max(1, Math.min(height!, width!) - 1)),
  ({ height, width }) => t.randomCrop(Math.min(height!, width!) + 2, { padding: 2 }),
  ({ height, width }) => t.centerCrop(Math.max(1, Math.min(height!, width!) - 2)),
  () => t.randomHorizontalFlip(),
  () => t.cutout(3),
  () => t.resize([7, 11]),
  () => t.resize(9, { antialias: false }),
  () => t.randomResizedCrop(8, { scale: [0.2, 1] }),
  ({ channels }) => t.normalize({ mean: new Array(channels).fill(0.3), std: new Array(channels).fill(0.7) }),
  () => t.rescale(1 / 3, -2),
  () => t.toF32(),
  () => t.toU8(),
  ({ order }) => order === "chw" ? t.chwToHwc() : t.hwcToChw(),
  () => noise,
];

Deno.test("any chain gives the same bits fused and unfused", () => {
  const property = fc.property(
    fc.array(fc.nat(STEPS.length - 1), { maxLength: 8 }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 4, max: 15 }),
    fc.integer({ min: 4, max: 15 }),
    fc.constantFrom("u8" as const, "f32" as const),
    fc.constantFrom("chw" as const, "hwc" as const),
    fc.constantFrom("row" as const, "nhwc" as const),
    fc.nat(1000),
    (picked, channels, height, width, dtype, order, layout, seed) => {
      const input: SampleType = { dtype, channels, height, width, order, image: true };
      const specs: TransformSpec[] = [];
      let type = input;
      for (const index of picked) {
        specs.push(STEPS[index]!(type));
        type = stepsOf(specs, input, 0, "data").at(-1)!.output;
      }
      const n = channels * height * width;
      const random = new RandomStream(seed);
      const data = dtype === "u8"
        ? Uint8Array.from({ length: n + 1 }, () => random.below(256))
        : Float32Array.from({ length: n + 1 }, () => 300 * random.uniform() - 20);
      const size = type.channels * type.height! * type.width!;
      const [fused, single] = [true, false].map((fuse) => {
        const chain = TransformChain.of(specs, input, { layout, seed, fuse });
        const out = new Float32Array(size + 2).fill(777);
        for (const sample of [3, 4]) chain.run({ data: data.slice(), offset: 1 }, out, 1, 2, sample);
        assert.deepEqual([out[0], out[size + 1]], [777, 777]);
        return out;
      });
      assert.deepEqual(fused, single, JSON.stringify(specs.map(({ kind }) => kind)));
    },
  );
  fc.assert(property, { numRuns: 400 });
});

Deno.test("one chain takes samples of different sizes and reads RGBA as RGB in place", () => {
  const input: SampleType = { dtype: "u8", channels: 3, height: null, width: null, order: "hwc", image: true };
  const specs = [t.resize(12), t.centerCrop(10), t.randomHorizontalFlip(), t.normalize("imagenet")];
  const sizes = [[12, 20], [31, 17], [12, 12], [40, 50]] as const;
  const chains = [true, false].map((fuse) => TransformChain.of(specs, input, { layout: "nhwc", seed: 1, fuse }));
  sizes.forEach(([height, width], sample) => {
    const random = new RandomStream(sample);
    const rgba = Uint8Array.from({ length: 4 * height * width }, () => random.below(256));
    const rgb = rgba.filter((_, i) => i % 4 < 3);
    const results = chains.flatMap((chain) =>
      [{ data: rgba, step: 4 }, { data: rgb }].map((pixels) => {
        const out = new Float32Array(300);
        chain.run({ ...pixels, offset: 0, height, width }, out, 0, 0, sample);
        return out;
      })
    );
    for (const result of results) assert.deepEqual(result, results[0]);
  });
});

Deno.test("passes are as long as possible and named by their transforms", () => {
  const cifar: SampleType = { dtype: "u8", channels: 3, height: 32, width: 32, order: "chw", image: true };
  const stages = (specs: TransformSpec[], fuse = true) =>
    TransformChain.of(specs, cifar, { layout: "nhwc", seed: 1, fuse }).stages;
  const usual = [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.cutout(8), t.normalize("cifar10")];
  assert.deepEqual(stages(usual), ["randomCrop+randomHorizontalFlip+cutout+normalize"]);
  assert.deepEqual(stages(usual, false), [
    "randomCrop",
    "randomHorizontalFlip",
    "cutout",
    "normalize",
    "convert",
  ]);
  assert.deepEqual(stages([]), ["convert"]);
  assert.deepEqual(stages([t.centerCrop(30), t.resize(20), t.randomHorizontalFlip(), t.normalize("cifar10")]), [
    "centerCrop+resize+randomHorizontalFlip+normalize",
  ]);
  assert.deepEqual(stages([t.resize(20), t.resize(10)]), ["resize", "resize"]);
  assert.deepEqual(stages([t.normalize("cifar10"), t.randomCrop(32, { padding: 4 })]), ["normalize", "randomCrop"]);
  assert.deepEqual(stages([t.chwToHwc(), t.toF32(), t.hwcToChw(), t.toU8()]), [
    "chwToHwc+toF32+hwcToChw+toU8 (u8 chw > u8 hwc > f32 hwc > f32 chw > u8 chw)",
  ]);
  assert.deepEqual(stages([t.chwToHwc(), t.normalize("cifar10")], false), [
    "chwToHwc (u8 chw > u8 hwc)",
    "normalize",
    "convert",
  ]);
  assert.deepEqual(stages([t.randomHorizontalFlip(), halved, t.toU8()]), [
    "randomHorizontalFlip",
    "map(function)",
    "toU8 (f32 chw > u8 chw)",
  ]);
});

Deno.test("cutout sets a square to zero, in the units of the values at that point of the chain", () => {
  const type: SampleType = { dtype: "u8", channels: 1, height: 8, width: 8, order: "chw", image: true };
  const run = (specs: TransformSpec[], sample: number) => {
    const out = new Float32Array(64);
    const source = { data: new Uint8Array(64).fill(255), offset: 0 };
    TransformChain.of(specs, type, { layout: "row", seed: 3, fuse: true }).run(source, out, 0, 0, sample);
    return [...out];
  };
  const half = t.normalize({ mean: [0.5], std: [0.5] });
  for (let sample = 0; sample < 40; sample++) {
    const before = run([t.cutout(4), half], sample);
    const after = run([half, t.cutout(4)], sample);
    assert.deepEqual(before.map((x) => x === -1), after.map((x) => x === 0));
    const places = after.flatMap((x, i) => x === 0 ? [[i >> 3, i & 7] as const] : []);
    const rows = new Set(places.map(([y]) => y)).size;
    const columns = new Set(places.map(([, x]) => x)).size;
    assert.equal(places.length, rows * columns);
    assert.ok(rows >= 2 && rows <= 4 && columns >= 2 && columns <= 4, `${rows} x ${columns}`);
  }
});

Deno.test("a delay sleeps for each sample", () => {
  const type: SampleType = { dtype: "u8", channels: 1, height: 2, width: 2, order: "chw", image: true };
  const chain = TransformChain.of([t.randomHorizontalFlip({ delay: 4 }), t.toF32({ delay: 3 })], type, {
    layout: "row",
    seed: 1,
    fuse: true,
  });
  const begin = performance.now();
  for (let i = 0; i < 4; i++) chain.run({ data: new Uint8Array(4), offset: 0 }, new Float32Array(4), 0, 0, i);
  assert.ok(performance.now() - begin >= 27, `${performance.now() - begin}`);
});

Deno.test("transforms that do not fit their input are rejected", () => {
  const type: SampleType = { dtype: "u8", channels: 1, height: 2, width: 2, order: "chw", image: true };
  assert.throws(
    () => stepsOf([t.hwcToChw()], type, 0, "data"),
    /transforms\[0\]: hwcToChw needs values in hwc order/,
  );
  assert.throws(
    () => stepsOf([t.centerCrop(3)], type, 0, "data"),
    /centerCrop\(3\) is larger than the image's height 2/,
  );
  assert.throws(() => t.resize(0), /resize\(\)\.size is 0; expected at least 1/);
  assert.throws(
    () => t.randomResizedCrop(8, { scale: [1, 0.5] }),
    /scale is \[1,0.5\]; expected \[smallest, largest\]/,
  );
});

Deno.test("conversions back and forth cost no pass, and a resize of f32 bytes is rounded by the toU8 after it", () => {
  const type: SampleType = { dtype: "u8", channels: 3, height: 8, width: 8, order: "chw", image: true };
  const chain = (specs: TransformSpec[], fuse = true) =>
    TransformChain.of(specs, type, { layout: "row", seed: 1, fuse });
  const detours = [
    t.toF32(),
    t.randomCrop(8, { padding: 2 }),
    t.chwToHwc(),
    t.toU8(),
    t.toF32(),
    t.cutout(3),
    t.toU8(),
  ];
  assert.equal(chain([...detours, t.normalize("cifar10")]).stages.length, 1);
  const data = Uint8Array.from({ length: 192 }, (_, i) => (i * 2654435761) >>> 13);
  const values = (specs: TransformSpec[], fuse: boolean) => {
    const out = new Float32Array(75);
    chain(specs, fuse).run({ data, offset: 0 }, out, 0, 0, 0);
    return out;
  };
  for (const fuse of [true, false]) {
    const raw = values([t.toF32(), t.resize(5)], fuse);
    assert(raw.some((x) => !Number.isInteger(x)));
    const rounded = values([t.toF32(), t.resize(5), t.toU8(), t.toF32()], fuse);
    assert.deepEqual(rounded, raw.map((x) => Math.floor(x + 0.5)));
  }
});
