import assert from "node:assert/strict";
import { RandomStream, streamKey } from "../../../runtime/core/random.ts";
import { TransformChain } from "../../../runtime/data/transforms/chain.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import type { SampleType } from "../../../runtime/data/transforms/transform.ts";
import { refuses } from "../../support/refuses.ts";

const TYPE: SampleType = { dtype: "f32", channels: 3, height: 5, width: 4, order: "chw", image: true };

function run(specs: TransformSpec[], type: SampleType, data: Uint8Array | Float32Array, sample = 0, epoch = 0) {
  const out = new Float32Array(data.length);
  TransformChain.of(specs, type, { layout: "row", seed: 3, fuse: true }).run(
    { data, offset: 0 },
    out,
    0,
    epoch,
    sample,
  );
  return out;
}

/** Index at position i of `torch.nn.functional.pad(..., mode="reflect")`, counted from the line's first value. */
function reflect(i: number, length: number): number {
  const line = [...Array(length).keys()];
  const padded = [...line.slice(1).reverse(), ...line, ...line.slice(0, -1).reverse()];
  return padded[i + length - 1]!;
}

/** Blurs one value with a single sum over its two-dimensional window. */
function blurred(plane: number[][], y: number, x: number, size: number, sigma: number): number {
  const half = (size - 1) / 2;
  let [sum, total] = [0, 0];
  for (let dy = -half; dy <= half; dy++) {
    for (let dx = -half; dx <= half; dx++) {
      const weight = Math.exp(-(dy * dy + dx * dx) / (2 * sigma * sigma));
      sum += weight * plane[reflect(y + dy, plane.length)]![reflect(x + dx, plane[0]!.length)]!;
      total += weight;
    }
  }
  return sum / total;
}

Deno.test("a blur averages each window with Gaussian weights, mirrored at the edges, for u8 and f32 in chw and hwc", () => {
  const random = new RandomStream(1);
  for (const [size, low, high] of [[3, 0.1, 2], [7, 1, 1], [1, 1, 2]] as const) {
    for (const dtype of ["u8", "f32"] as const) {
      for (const order of ["chw", "hwc"] as const) {
        const planes = [0, 1, 2].map(() =>
          Array.from({ length: 5 }, () => Array.from({ length: 4 }, () => random.below(256)))
        );
        const values = order === "chw"
          ? planes.flat(2)
          : planes[0]!.flatMap((row, y) => row.flatMap((_, x) => planes.map((plane) => plane[y]![x]!)));
        const data = dtype === "u8" ? Uint8Array.from(values) : Float32Array.from(values);
        const sample = random.below(100);
        const draw = new RandomStream(streamKey(3, "data/transform/gaussianBlur/0"), 0, sample).uniform();
        const out = run(
          [t.gaussianBlur({ kernelSize: size, sigma: [low, high] })],
          { ...TYPE, dtype, order },
          data,
          sample,
        );
        const sigma = low + draw * (high - low);
        planes.forEach((plane, c) =>
          plane.forEach((row, y) =>
            row.forEach((_, x) => {
              const exact = blurred(plane, y, x, size, sigma);
              const found = out[(c * 5 + y) * 4 + x]! * (dtype === "u8" ? 255 : 1);
              assert.ok(
                Math.abs(found - exact) < (dtype === "u8" ? 0.51 : 1e-4),
                `${size} ${dtype} ${order}: ${found} ${exact}`,
              );
            })
          )
        );
      }
    }
  }
});

Deno.test("draws depend on seed, epoch and sample, and the source's values stay unchanged", () => {
  const data = Float32Array.from({ length: 60 }, (_, i) => i * 37 % 64);
  const blur = t.gaussianBlur({ kernelSize: 3 });
  assert.deepEqual(blur.sigma, [0.1, 2]);
  assert.deepEqual(run([blur], TYPE, data, 4), run([blur], TYPE, data, 4));
  assert.notDeepEqual(run([blur], TYPE, data, 4), run([blur], TYPE, data, 5));
  assert.notDeepEqual(run([blur], TYPE, data, 4), run([blur], TYPE, data, 4, 1));
  assert.deepEqual([...data], Array.from({ length: 60 }, (_, i) => i * 37 % 64));
});

Deno.test("invalid options and too small images are rejected", () => {
  refuses(() => t.gaussianBlur({ kernelSize: 4 }), /gaussianBlur\(\)\.kernelSize is 4; expected an odd number/);
  refuses(() => t.gaussianBlur({ kernelSize: 3, sigma: [2, 1] }), /sigma is \[2,1\]; expected \[smallest, largest\]/);
  refuses(() => t.gaussianBlur({ kernelSize: 3, sigma: [0, 1] }), /sigma\[0\] is 0; expected a number above 0/);
  const blur = (kernelSize: number, type: SampleType) =>
    run([t.gaussianBlur({ kernelSize })], type, new Float32Array(60));
  refuses(
    () => blur(9, TYPE),
    /transforms\[0\]: gaussianBlur has a kernelSize of 9, too large for the image's width 4; use at most 7/,
  );
  refuses(() => blur(3, { ...TYPE, image: false }), /gaussianBlur needs samples \[channels, height, width\]/);
});
