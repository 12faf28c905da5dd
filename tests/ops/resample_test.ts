import assert from "node:assert/strict";
import { adaptiveAvgPool2d, upsample, type UpsampleOptions } from "../../mod.ts";
import type { Values } from "../support/op_case.ts";
import { checkOp } from "../support/op_case.ts";
import { build } from "../nn/building.ts";
import { refuses } from "../support/refuses.ts";

type Read = (y: number, x: number) => number;

/** Computes each pixel of `[n, c, oh, ow]` from the pixels of its plane of `[n, c, h, w]`. */
function planes(
  values: Values,
  [n, c, h, w]: readonly number[],
  [oh, ow]: readonly number[],
  pixel: (read: Read, y: number, x: number) => number,
): Float64Array {
  return Float64Array.from({ length: n! * c! * oh! * ow! }, (_, i) => {
    const plane = Math.floor(i / (oh! * ow!)) * h! * w!;
    return pixel((y, x) => values[plane + y * w! + x]!, Math.floor(i / ow!) % oh!, i % ow!);
  });
}

const SHAPE = [2, 3, 5, 4] as const;

Deno.test("upsample to the nearest pixel is PyTorch's", async () => {
  const cases: [UpsampleOptions, readonly [number, number], readonly [number, number]][] = [
    [{ scaleFactor: 2 }, [10, 8], [0.5, 0.5]],
    [{ size: [7, 9] }, [7, 9], [5 / 7, 4 / 9]],
    [{ size: 3 }, [3, 3], [5 / 3, 4 / 3]],
    [{ scaleFactor: [1.5, 0.5] }, [7, 2], [1 / 1.5, 2]],
  ];
  for (const [options, target, ratio] of cases) {
    await checkOp({
      name: JSON.stringify(options),
      inputs: { x: { shape: SHAPE } },
      build: ({ x }) => upsample(options)(x),
      reference: ({ x }) =>
        planes(x, SHAPE, target, (read, i, j) => read(Math.floor(i * ratio[0]), Math.floor(j * ratio[1]))),
      samples: 12,
    });
  }
});

Deno.test("bilinear upsampling is PyTorch's, with and without aligned corners", async () => {
  for (const alignCorners of [false, true]) {
    for (
      const [options, target] of [
        [{ scaleFactor: 2 }, [10, 8]],
        [{ size: [7, 9] }, [7, 9]],
        [{ size: [3, 1] }, [3, 1]],
      ] as const
    ) {
      const place = (at: number, from: number, to: number) => {
        if (alignCorners) return to === 1 ? 0 : at * (from - 1) / (to - 1);
        return Math.max(0, (at + 0.5) * from / to - 0.5);
      };
      await checkOp({
        name: JSON.stringify({ ...options, alignCorners }),
        inputs: { x: { shape: SHAPE } },
        build: ({ x }) => upsample({ ...options, size: options.size as never, mode: "bilinear", alignCorners })(x),
        reference: ({ x }) =>
          planes(x, SHAPE, target, (read, i, j) => {
            const [y, z] = [place(i, 5, target[0]), place(j, 4, target[1])];
            const [a, b] = [Math.floor(y), Math.floor(z)];
            const [down, right] = [Math.min(a + 1, 4), Math.min(b + 1, 3)];
            const [v, u] = [y - a, z - b];
            return (1 - v) * ((1 - u) * read(a, b) + u * read(a, right)) +
              v * ((1 - u) * read(down, b) + u * read(down, right));
          }),
        samples: 12,
      });
    }
  }
});

Deno.test("adaptiveAvgPool2d means over PyTorch's bins, which may overlap", async () => {
  for (const [size, target] of [[1, [1, 1]], [[3, 3], [3, 3]], [[2, null], [2, 4]], [[7, 5], [7, 5]]] as const) {
    await checkOp({
      name: `to ${size}`,
      inputs: { x: { shape: SHAPE } },
      build: ({ x }) => adaptiveAvgPool2d(size as number)(x),
      reference: ({ x }) =>
        planes(x, SHAPE, target, (read, i, j) => {
          const range = (at: number, n: number, to: number) => [Math.floor(at * n / to), Math.ceil((at + 1) * n / to)];
          const [[top, bottom], [left, right]] = [range(i, 5, target[0]), range(j, 4, target[1])] as [
            number[],
            number[],
          ];
          let sum = 0;
          for (let y = top!; y < bottom!; y++) for (let z = left!; z < right!; z++) sum += read(y, z);
          return sum / (bottom! - top!) / (right! - left!);
        }),
      samples: 12,
    });
  }
});

Deno.test("rows are resized up to the length whose weights fit into a uniform buffer, and refused beyond", async () => {
  const width = 2600;
  await checkOp({
    name: "a long row",
    inputs: { x: { shape: [1, 1, 1, width] } },
    build: ({ x }) => upsample({ scaleFactor: [1, 2] })(x),
    reference: ({ x }) => Float64Array.from({ length: 2 * width }, (_, i) => x[i >> 1]!),
    samples: 12,
  });
  const tooLong = /make images of \[1, \d+\] from \[1, \d+\]: its table of weights exceeds 64 KiB/;
  refuses(() => build(upsample({ scaleFactor: [1, 2] }), [1, 1, 1, 3000]), tooLong);
  refuses(() => build(upsample({ size: [1, 200_000] }), [1, 1, 1, 2]), tooLong);
});

Deno.test("layers that resize refuse contradictory options and inputs of another rank", () => {
  refuses(() => upsample({}), /expected either size or scaleFactor/);
  refuses(() => upsample({ size: 3, scaleFactor: 2 }), /expected either size or scaleFactor/);
  refuses(() => upsample({ size: 3, alignCorners: true }), /alignCorners.*unless mode is "bilinear"/);
  refuses(() => adaptiveAvgPool2d(0), /size is 0/);
  refuses(() => build(adaptiveAvgPool2d(1), [2, 3]), /adaptive_avg_pool2d expects images \[n, c, h, w\]/);
  assert.deepEqual(build(upsample({ scaleFactor: 3 }), [1, 2, 3, 4]).output.shape, [1, 2, 9, 12]);
});
