import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { toPhysical } from "../../../runtime/core/layout.ts";
import { RandomStream, streamKey } from "../../../runtime/core/random.ts";
import { TransformChain } from "../../../runtime/data/transforms/chain.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";

/** Image of the reference: planes of f64 values. */
interface Image {
  values: number[][][];
  raw: boolean;
}

/** Applies transforms one at a time to the whole image. Only the keys of the draws are those of the chain. */
function reference(
  specs: readonly TransformSpec[],
  image: Image,
  seed: number,
  epoch: number,
  sample: number,
): number[] {
  const seen: Record<string, number> = {};
  let { values, raw } = image;
  const scale = (f: (x: number, c: number) => number) => {
    values = values.map((plane, c) => plane.map((row) => row.map((x) => f(x, c))));
  };
  for (const spec of specs) {
    const nth = seen[spec.kind] ?? 0;
    seen[spec.kind] = nth + 1;
    const random = new RandomStream(streamKey(seed, `data/transform/${spec.kind}/${nth}`), epoch, sample);
    if (spec.kind === "randomCrop") {
      const p = spec.padding;
      const [height, width] = [values[0]!.length, values[0]![0]!.length];
      const padded = values.map((plane) => {
        const edge = Array.from({ length: p }, () => new Array<number>(width + 2 * p).fill(0));
        const side = new Array<number>(p).fill(0);
        return [...edge, ...plane.map((row) => [...side, ...row, ...side]), ...edge];
      });
      const y = random.below(height + 2 * p - spec.size + 1);
      const x = random.below(width + 2 * p - spec.size + 1);
      values = padded.map((plane) => plane.slice(y, y + spec.size).map((row) => row.slice(x, x + spec.size)));
    } else if (spec.kind === "randomHorizontalFlip") {
      if (random.uniform() < spec.p) values = values.map((plane) => plane.map((row) => [...row].reverse()));
    } else if (spec.kind === "normalize") {
      const divisor = raw ? 255 : 1;
      scale((x, c) => Math.fround((x / divisor - spec.mean[c]!) / spec.std[c]!));
      raw = false;
    }
  }
  if (raw) scale((x) => x / 255);
  return values.flat(2).map(Math.fround);
}

function nested(data: ArrayLike<number>, channels: number, height: number, width: number): number[][][] {
  const row = (c: number, y: number) => Array.from({ length: width }, (_, x) => data[(c * height + y) * width + x]!);
  return Array.from({ length: channels }, (_, c) => Array.from({ length: height }, (_, y) => row(c, y)));
}

Deno.test("a fused chain equals separate transforms, for any chain, layout and source", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("crop"), shrink: fc.nat(3), padding: fc.nat(3) }),
    fc.record({ kind: fc.constant("flip"), p: fc.constantFrom(0, 0.5, 1) }),
    fc.record({ kind: fc.constant("scale"), mean: fc.constantFrom(-0.5, 0, 0.25), std: fc.constantFrom(0.25, 1, 3) }),
  );
  const property = fc.property(
    fc.array(step, { maxLength: 5 }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 3, max: 9 }),
    fc.integer({ min: 3, max: 9 }),
    fc.constantFrom("u8" as const, "f32" as const),
    fc.constantFrom("row" as const, "nhwc" as const),
    fc.nat(1000),
    fc.nat(1000),
    (steps, channels, height, width, dtype, layout, seed, sample) => {
      let [h, w] = [height, width];
      const specs = steps.map((step): TransformSpec => {
        if (step.kind === "flip") return t.randomHorizontalFlip({ p: (step as { p: number }).p });
        if (step.kind === "scale") {
          const { mean, std } = step as { mean: number; std: number };
          return t.normalize({ mean: new Array(channels).fill(mean), std: new Array(channels).fill(std) });
        }
        const { shrink, padding } = step as { shrink: number; padding: number };
        const size = Math.max(1, Math.min(h, w) + 2 * padding - shrink);
        h = w = size;
        return t.randomCrop(size, { padding });
      });
      const n = channels * height * width;
      const random = new RandomStream(seed, sample);
      const source = dtype === "u8"
        ? Uint8Array.from({ length: n + 2 }, () => random.below(256))
        : Float32Array.from({ length: n + 2 }, () => random.uniform() - 0.5);
      const type = { dtype, channels, height, width, order: "chw", image: true } as const;
      const chain = TransformChain.of(specs, type, { layout, seed, fuse: true });
      const size = channels * h * w;
      const out = new Float32Array(size + 3).fill(777);
      chain.run({ data: source, offset: 1 }, out, 2, 3, sample);
      const image = { values: nested(source.subarray(1), channels, height, width), raw: dtype === "u8" };
      const expected = Float32Array.from(reference(specs, image, seed, 3, sample));
      assert.deepEqual(out.subarray(2, 2 + size), toPhysical(expected, [1, channels, h, w], layout));
      assert.deepEqual([out[0], out[1], out[size + 2]], [777, 777, 777]);
    },
  );
  fc.assert(property, { numRuns: 300 });
});

Deno.test("normalize computes (x / 255 - mean) / std; without it bytes become x / 255", () => {
  const type = { dtype: "u8", channels: 3, height: 1, width: 1, order: "chw", image: true } as const;
  const options = { layout: "row", seed: 0, fuse: true } as const;
  const pixels = { data: Uint8Array.of(0, 128, 255), offset: 0 };
  const out = new Float32Array(3);
  TransformChain.of([t.normalize("cifar10")], type, options).run(pixels, out, 0, 0, 0);
  assert.deepEqual([...out], [-0.4914 / 0.2470, (128 / 255 - 0.4822) / 0.2435, (1 - 0.4465) / 0.2616].map(Math.fround));
  TransformChain.of([], type, options).run(pixels, out, 0, 0, 0);
  assert.deepEqual([...out], [0, 128 / 255, 1].map(Math.fround));
});

Deno.test("crops reach every place and flips occur with their probability", () => {
  const type = { dtype: "u8", channels: 1, height: 2, width: 2, order: "chw", image: true } as const;
  const options = { layout: "row", seed: 5, fuse: true } as const;
  const chain = TransformChain.of([t.randomCrop(1)], type, options);
  const out = new Float32Array(4);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 4000; i++) {
    chain.run({ data: Uint8Array.of(0, 1, 2, 3), offset: 0 }, out, 0, 0, i);
    counts[Math.round(out[0]! * 255)]!++;
  }
  for (const count of counts) assert.ok(Math.abs(count - 1000) < 150, `${counts}`);

  const flip = TransformChain.of([t.randomHorizontalFlip({ p: 0.25 })], type, options);
  let flipped = 0;
  for (let i = 0; i < 4000; i++) {
    flip.run({ data: Uint8Array.of(0, 255, 0, 255), offset: 0 }, out, 0, 0, i);
    if (out[0] === 1) flipped++;
  }
  assert.ok(Math.abs(flipped - 1000) < 150, `${flipped}`);
});

Deno.test("rescale, centerCrop, toU8 and the conversions follow their formulas", () => {
  const type = { dtype: "u8", channels: 2, height: 3, width: 4, order: "chw", image: true } as const;
  const data = Uint8Array.from({ length: 24 }, (_, i) => 10 * i);
  for (const fuse of [true, false]) {
    const run = (...specs: TransformSpec[]) => {
      const out = new Float32Array(24);
      TransformChain.of(specs, type, { layout: "row", seed: 0, fuse }).run({ data, offset: 0 }, out, 0, 0, 0);
      return [...out];
    };
    assert.deepEqual(run(t.rescale(0.5, -3)), [...data].map((x) => 0.5 * x - 3));
    assert.deepEqual(run(t.rescale(2), t.rescale(0.25, 1)), [...data].map((x) => 0.5 * x + 1));
    // Rows 0 and 1 and columns 1 and 2 of each plane: the odd row is cut at the bottom
    const centre = [1, 2, 5, 6, 13, 14, 17, 18].map((i) => data[i]!);
    assert.deepEqual(run(t.toF32(), t.centerCrop(2)).slice(0, 8), centre);
    assert.deepEqual(run(t.chwToHwc(), t.toF32(), t.hwcToChw(), t.centerCrop(2)).slice(0, 8), centre);
    const held = [...data].map((x) => Math.min(255, Math.max(0, Math.floor(1.25 * x - 20 + 0.5))));
    assert.deepEqual(run(t.rescale(1.25, -20), t.toU8()), held.map((x) => Math.fround(x / 255)));
  }
});
