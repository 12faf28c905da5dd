import assert from "node:assert/strict";
import * as tf from "../../packages/tfjs.ts";
import fc from "../../packages/fast_check.ts";
import { join } from "node:path";
import { RandomStream } from "../../../runtime/core/random.ts";
import { decodePng } from "../../../runtime/data/images/png.ts";
import { TransformChain } from "../../../runtime/data/transforms/chain.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { SampleType } from "../../../runtime/data/transforms/transform.ts";

const FIXTURES = join(import.meta.dirname!, "../../fixtures/images");

function fixture(name: string) {
  return decodePng(Deno.readFileSync(join(FIXTURES, name)));
}

/** Resizes pixels in hwc order; u8 results range from 0 to 255. */
function resized(
  data: Uint8Array | Float32Array,
  height: number,
  width: number,
  size: [number, number],
  antialias: boolean,
) {
  const dtype = data instanceof Uint8Array ? "u8" : "f32";
  const type: SampleType = { dtype, channels: 3, height, width, order: "hwc", image: true };
  const out = new Float32Array(3 * size[0] * size[1]);
  const chain = TransformChain.of([t.resize(size, { antialias }), t.toF32()], type, {
    layout: "nhwc",
    seed: 0,
    fuse: true,
  });
  chain.run({ data, offset: 0 }, out, 0, 0, 0);
  return out;
}

Deno.test("resize without antialias equals TensorFlow's with half-pixel centres", () => {
  const sizes = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(sizes, sizes, sizes, sizes, fc.nat(), (height, width, h, w, seed) => {
      const random = new RandomStream(seed);
      const data = Float32Array.from({ length: 3 * height * width }, () => random.uniform() * 10 - 5);
      const expected = tf.tidy(() =>
        tf.image.resizeBilinear(tf.tensor3d(data, [height, width, 3]), [h, w], false, true).dataSync()
      );
      const found = resized(data, height, width, [h, w], false);
      found.forEach((x, i) => assert.ok(Math.abs(x - expected[i]!) < 1e-4, `${i}: ${x}, ${expected[i]}`));
    }),
    { numRuns: 60 },
  );
});

/** Computes every pixel of the result from every pixel of the source, in one sum over both axes. */
function direct(data: ArrayLike<number>, height: number, width: number, [h, w]: [number, number]): number[] {
  const weight = (i: number, from: number, to: number) => {
    const scale = Math.max(1, from / to);
    const all = Array.from(
      { length: from },
      (_, j) => Math.max(0, 1 - Math.abs((j + 0.5) - (i + 0.5) * from / to) / scale),
    );
    const sum = all.reduce((a, b) => a + b, 0);
    return all.map((x) => x / sum);
  };
  const out: number[] = [];
  for (let y = 0; y < h; y++) {
    const rows = weight(y, height, h);
    for (let x = 0; x < w; x++) {
      const columns = weight(x, width, w);
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        rows.forEach((a, i) => columns.forEach((b, j) => sum += a * b * data[(i * width + j) * 3 + c]!));
        out.push(sum);
      }
    }
  }
  return out;
}

Deno.test("resize with antialias equals the sum over all pixels and rounds u8 once", () => {
  const sizes = fc.integer({ min: 1, max: 14 });
  fc.assert(
    fc.property(sizes, sizes, sizes, sizes, fc.nat(), (height, width, h, w, seed) => {
      const random = new RandomStream(seed);
      const bytes = Uint8Array.from({ length: 3 * height * width }, () => random.below(256));
      const expected = direct(bytes, height, width, [h, w]);
      const floats = resized(Float32Array.from(bytes), height, width, [h, w], true);
      floats.forEach((x, i) => assert.ok(Math.abs(x - expected[i]!) < 1e-3, `${x}, ${expected[i]}`));
      const rounded = resized(bytes, height, width, [h, w], true);
      rounded.forEach((x, i) => assert.ok(Math.abs(x - expected[i]!) <= 0.501, `${x}, ${expected[i]}`));
    }),
    { numRuns: 60 },
  );
});

Deno.test("resize with antialias is within 1 of Pillow's, which rounds twice", () => {
  const { data, height, width } = fixture("photo.png");
  for (const [name, size] of [["shrunk_13x7", [7, 13]], ["grown_60x50", [50, 60]]] as const) {
    const expected = fixture(`${name}.png`).data;
    const found = resized(data, height, width, [...size], true);
    let off = 0;
    found.forEach((x, i) => {
      assert.ok(Math.abs(x - expected[i]!) <= 1, `${name} ${i}: ${x}, ${expected[i]}`);
      if (x !== expected[i]) off++;
    });
    assert.ok(off < found.length / 5, `${name}: ${off} of ${found.length} differ by 1`);
  }
});

Deno.test("a number sets the shorter side and rounds the other down", () => {
  const sides = (height: number, width: number, size: number) => {
    const input: SampleType = { dtype: "u8", channels: 1, height, width, order: "hwc", image: true };
    const chain = TransformChain.of([t.resize(size)], input, { layout: "row", seed: 0, fuse: true });
    const out = new Float32Array(10000).fill(-1);
    chain.run({ data: new Uint8Array(height * width), offset: 0 }, out, 0, 0, 0);
    return out.indexOf(-1);
  };
  assert.equal(sides(30, 50, 12), 12 * 20);
  assert.equal(sides(50, 30, 12), 20 * 12);
  assert.equal(sides(50, 17, 12), 35 * 12);
});

Deno.test("randomResizedCrop draws rectangles within the given area and ratio", () => {
  const input: SampleType = { dtype: "f32", channels: 1, height: 200, width: 200, order: "hwc", image: true };
  // Values are their positions, so that the result shows which rectangle was drawn
  const data = Float32Array.from({ length: 40000 }, (_, i) => i % 200);
  const rows = Float32Array.from({ length: 40000 }, (_, i) => Math.floor(i / 200));
  const specs = [t.randomResizedCrop(10, { scale: [0.25, 0.5], ratio: [0.5, 2] })];
  const chain = TransformChain.of(specs, input, { layout: "row", seed: 9, fuse: true });
  const out = new Float32Array(100);
  const areas: number[] = [];
  for (let sample = 0; sample < 300; sample++) {
    const extent = [data, rows].map((values, axis) => {
      chain.run({ data: values, offset: 0 }, out, 0, 0, sample);
      const [first, last] = axis === 0 ? [out[2]!, out[7]!] : [out[20]!, out[70]!];
      return (last - first) * 2; // half of the rectangle lies between these
    }) as [number, number];
    areas.push(extent[0] * extent[1] / 40000);
    const ratio = extent[0] / extent[1];
    assert.ok(ratio > 0.47 && ratio < 2.1, `${ratio}`);
  }
  assert.ok(Math.min(...areas) > 0.23 && Math.max(...areas) < 0.53, `${Math.min(...areas)} ${Math.max(...areas)}`);
  const mean = areas.reduce((a, b) => a + b) / areas.length;
  assert.ok(Math.abs(mean - 0.375) < 0.02, `${mean}`);
});
