/**
 * Reductions over the first, a middle and the last axis, of even and odd sizes, as cases of `kernels.ts`.
 *
 * @module
 */
import { argmax, logSumExp, max } from "../ops/extremes.ts";
import { mean, sum } from "../ops/sum.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { Graph } from "../runtime/graph/graph.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import type { KernelCase } from "./kernel_case.ts";

/** A reduction, and its reference: the result of the elements that are reduced. */
const REDUCTIONS = {
  sum: [sum, (x: Float32Array) => x.reduce((a, b) => a + b, 0)],
  mean: [mean, (x: Float32Array) => x.reduce((a, b) => a + b, 0) / x.length],
  max: [max, (x: Float32Array) => x.reduce((a, b) => Math.max(a, b))],
  argmax: [argmax, (x: Float32Array) => x.indexOf(x.reduce((a, b) => Math.max(a, b)))],
  "log sum exp": [logSumExp, (x: Float32Array) => Math.log(x.reduce((a, b) => a + Math.exp(b), 0))],
} as const;

/** Sizes before the reduced axis, of it, and after it. */
const SHAPES = [[8192, 512, 1], [1, 8192, 512], [16, 512, 512], [8191, 511, 1], [1, 8191, 511]] as const;

/** Yields every case in one element type. */
export function* reductionCases(dtype: FloatType): Generator<KernelCase> {
  for (const [name, [reduce, reference]] of Object.entries(REDUCTIONS)) {
    for (const shape of SHAPES) {
      const [, size, inner] = shape;
      if (size % 2 === 1 && name !== "sum" && name !== "max") continue;
      const x = new Graph().leaf("input", "x", rowMajor(shape, dtype));
      yield {
        name: `${name} ${shape.join("x")} over axis 1`,
        output: name === "argmax" ? argmax(x, { axes: 1 }) : reduce(x, { axes: 1 }),
        reference(i, [x]) {
          const first = Math.floor(i / inner) * size * inner + i % inner;
          return reference(Float32Array.from({ length: size }, (_, k) => x![first + k * inner]!));
        },
      };
    }
  }
}
