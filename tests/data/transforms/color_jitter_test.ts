import assert from "node:assert/strict";
import { RandomStream, streamKey } from "../../../runtime/core/random.ts";
import { TransformChain } from "../../../runtime/data/transforms/chain.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";
import type { TransformSpec } from "../../../runtime/data/transforms/schema.ts";
import type { SampleType } from "../../../runtime/data/transforms/transform.ts";
import { refuses } from "../../support/refuses.ts";

const TYPE: SampleType = { dtype: "u8", channels: 3, height: 5, width: 4, order: "chw", image: true };

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

type Rgb = [number, number, number];

/** Converts to hue (0 to 1), saturation and value by the textbook formulas. */
function hsv([r, g, b]: Rgb): Rgb {
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const d = most - least;
  const h = d === 0 ? 0 : most === r ? ((g - b) / d + 6) % 6 : most === g ? (b - r) / d + 2 : (r - g) / d + 4;
  return [h / 6, most === 0 ? 0 : d / most, most];
}

/** Converts back, with one formula for each sixth of the circle. */
function rgb([h, s, v]: Rgb): Rgb {
  const i = Math.floor(h * 6);
  const f = h * 6 - i;
  const [p, q, u] = [v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))];
  return ([[v, u, p], [q, v, p], [p, v, u], [p, q, v], [u, p, v], [v, p, q]] as Rgb[])[i % 6]!;
}

/** Changes an image pixel by pixel, like torchvision's functions on tensors. */
function reference(pixels: Rgb[], amounts: readonly number[], sample: number, bytes: boolean): Rgb[] {
  const random = new RandomStream(streamKey(3, "data/transform/colorJitter/0"), 0, sample);
  const most = bytes ? 255 : 1;
  const keep = (x: number) => bytes ? Math.trunc(Math.min(255, Math.max(0, x))) : Math.min(1, Math.max(0, x));
  const grey = ([r, g, b]: Rgb) => {
    const x = 0.2989 * r + 0.587 * g + 0.114 * b;
    return bytes ? Math.trunc(x) : x;
  };
  const order = [...random.permutation(4)];
  const [b, c, s] = amounts.slice(0, 3).map((x) => {
    const low = Math.max(0, 1 - x);
    return low + random.uniform() * (1 + x - low);
  }) as Rgb;
  const turn = -amounts[3]! + random.uniform() * 2 * amounts[3]!;
  for (const change of order) {
    const mean = pixels.reduce((sum, pixel) => sum + grey(pixel), 0) / pixels.length;
    pixels = pixels.map((pixel) => {
      const blend = (factor: number, other: number) => pixel.map((x) => keep(factor * x + (1 - factor) * other)) as Rgb;
      if (change === 0) return blend(b, 0);
      if (change === 1) return blend(c, mean);
      if (change === 2) return blend(s, grey(pixel));
      const [h, saturation, value] = hsv(pixel.map((x) => x / most) as Rgb);
      const turned = rgb([((h + turn) % 1 + 1) % 1, saturation, value]);
      return turned.map((x) => keep(bytes ? x * (256 - 1e-3) : x)) as Rgb;
    });
  }
  return pixels;
}

Deno.test("brightness, contrast, saturation and hue change as in torchvision, for u8 and f32 in chw and hwc", () => {
  const random = new RandomStream(1);
  const amounts = [0.4, 0.5, 0.8, 0.3];
  const jitter = t.colorJitter({ brightness: 0.4, contrast: 0.5, saturation: 0.8, hue: 0.3 });
  for (const dtype of ["u8", "f32"] as const) {
    for (const order of ["chw", "hwc"] as const) {
      for (let sample = 0; sample < 24; sample++) {
        const pixels = Array.from({ length: 20 }, () => [0, 1, 2].map(() => random.below(256)) as Rgb);
        if (dtype === "f32") { for (const pixel of pixels) pixel.forEach((x, c) => pixel[c] = x / 255); }
        const values = order === "hwc" ? pixels.flat() : [0, 1, 2].flatMap((c) => pixels.map((pixel) => pixel[c]!));
        const data = dtype === "u8" ? Uint8Array.from(values) : Float32Array.from(values);
        const out = run([jitter], { ...TYPE, dtype, order }, data, sample);
        const expected = reference(pixels, amounts, sample, dtype === "u8");
        expected.forEach((pixel, i) =>
          pixel.forEach((x, c) => {
            const difference = Math.abs(out[c * 20 + i]! * (dtype === "u8" ? 255 : 1) - x);
            // Truncation turns a difference in the last bit into 1 of 255, which later changes can amplify
            assert.ok(
              difference < (dtype === "u8" ? 4.01 : 1e-5),
              `${dtype} ${order} ${sample} ${i} ${c}: ${difference}`,
            );
          })
        );
        const exact = expected.flatMap((pixel, i) => pixel.map((x, c) => Math.abs(out[c * 20 + i]! * 255 - x) < 0.01));
        if (dtype === "u8") assert.ok(exact.filter((same) => same).length > 50, `${exact}`);
      }
    }
  }
});

Deno.test("draws depend on seed, epoch and sample, and amounts of zero change nothing", () => {
  const data = Uint8Array.from({ length: 60 }, (_, i) => i * 37 % 256);
  const jitter = t.colorJitter({ brightness: 0.9, hue: 0.5 });
  assert.deepEqual(run([jitter], TYPE, data, 4), run([jitter], TYPE, data, 4));
  assert.notDeepEqual(run([jitter], TYPE, data, 4), run([jitter], TYPE, data, 5));
  assert.notDeepEqual(run([jitter], TYPE, data, 4), run([jitter], TYPE, data, 4, 1));
  assert.deepEqual(run([t.colorJitter()], TYPE, data), run([], TYPE, data));
  assert.deepEqual([...data], Array.from({ length: 60 }, (_, i) => i * 37 % 256), "the source's values stay unchanged");
});

Deno.test("f32 bytes range to 255, grey images have no hue, and other f32 results are clamped to 0..1", () => {
  const data = Uint8Array.from({ length: 20 }, (_, i) => 10 * i);
  const grey = { ...TYPE, channels: 1 };
  assert.deepEqual(run([t.colorJitter({ saturation: 1, hue: 0.5 })], grey, data), run([], grey, data));
  const brighter = t.colorJitter({ brightness: 0.9 });
  const [bytes, floats] = [[brighter], [t.toF32(), brighter, t.toU8()]].map((specs) => run(specs, grey, data, 2));
  floats!.forEach((x, i) => assert.ok(Math.abs(x - bytes![i]!) < 1.01 / 255, `${x} ${bytes![i]}`));
  const unit = Float32Array.from(data, (x) => x / 190);
  for (let sample = 0; sample < 20; sample++) {
    const out = run([t.colorJitter({ brightness: 1, contrast: 1 })], { ...grey, dtype: "f32" }, unit, sample);
    assert.ok(out.every((x) => x >= 0 && x <= 1), `${out}`);
  }
});

Deno.test("invalid amounts and images are rejected", () => {
  refuses(() => t.colorJitter({ hue: 0.6 }), /colorJitter\(\)\.hue is 0\.6; expected at most 0\.5/);
  refuses(() => t.colorJitter({ contrast: -1 }), /colorJitter\(\)\.contrast is -1; expected a number of at least 0/);
  const run2 = (type: SampleType) => run([t.colorJitter({ hue: 0.1 })], type, new Uint8Array(40));
  refuses(
    () => run2({ ...TYPE, channels: 2 }),
    /transforms\[0\]: colorJitter needs images of 1 or 3 channels; these have 2/,
  );
  refuses(() => run2({ ...TYPE, channels: 1, image: false }), /colorJitter needs samples \[channels, height, width\]/);
});
