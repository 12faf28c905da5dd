import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { flatRows, partialWalk, rowsKernel } from "./kernels/channel_rows.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { finalSum } from "./kernels/sum.ts";
import { floatOf, inputBuffer, outputBuffer, variantName } from "./kernels/tensors.ts";

/** loss = mean of (prediction - target)^2 over all elements, f32 `[1]`. Inputs: prediction, target of the same shape. */
export const meanSquaredErrorOp: OpDef<NoAttrs> = {
  type: "mean_squared_error",
  dtypeRule: "loss",
  shape([prediction, target]) {
    floatOf(prediction!, "mean_squared_error", "the prediction");
    floatOf(target!, "mean_squared_error", "the target");
    if (!sameShape(prediction!.shape, target!.shape)) {
      throw new InputError(
        `mean_squared_error expects prediction and target of one shape, got ${formatShape(prediction!.shape)} and ` +
          `${formatShape(target!.shape)}; reshape one of them`,
      );
    }
    if (prediction!.layout !== target!.layout) throw new Error("mean_squared_error: layouts differ");
    return [rowMajor([1], "f32")];
  },
  cost: (inputs, outputs) => ({ flops: 3 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy) return [null, null];
    const [prediction, target] = node.inputs as [Tensor, Tensor];
    const gradient = (a: Tensor, b: Tensor) => dy.graph.apply(meanSquaredErrorGradOp, {}, [dy, a, b])[0]!;
    return [needs[0] ? gradient(prediction, target) : null, needs[1] ? gradient(target, prediction) : null];
  },
  candidates({ inputs, traits }) {
    const n = sizeOf(inputs[0]!.shape);
    const shape = flatRows(n);
    const walk = partialWalk(shape, traits);
    const buffers = { a: inputBuffer(inputs, 0), b: inputBuffer(inputs, 1) };
    const name = `mean_squared_error.${variantName(buffers, 4)}`;
    const partial = rowsKernel({
      name,
      shape,
      traits,
      walk,
      reads: buffers,
      writes: {},
      buffers: { parts: { ref: { workspace: 0 }, type: "f32" } },
      uniforms: { n },
      before: "var sum = V(0.0);",
      each: `let d = a - b;
    sum += select(V(0.0), d * d, i * 4u + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(u.n));`,
      sums: ["sum"],
      after: "parts[lane] = (sum.x + sum.y) + (sum.z + sum.w);",
    });
    const total = finalSum({ parts: { workspace: 0 }, sum: { output: 0 }, lanes: walk.lanes, scale: 1 / n, traits });
    return [{ name, kernels: [partial, total], workspace: [walk.lanes * 4] }];
  },
};

/** da = dy 2 (a - b) / n in a's type. Inputs: dy `[1]`, a, b. */
export const meanSquaredErrorGradOp: OpDef<NoAttrs> = {
  type: "mean_squared_error_grad",
  dtypeRule: "loss",
  shape: ([, a]) => [a!],
  cost: (inputs, outputs) => ({ flops: 2 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates: ({ inputs, outputs, traits }) => [elementwise({
    name: "mean_squared_error_grad",
    traits,
    type: outputs[0]!,
    inputs: { a: inputBuffer(inputs, 1), b: inputBuffer(inputs, 2) },
    outputs: { da: { ...outputBuffer(outputs, 0), value: "(a - b) * (dy[0] * u.factor)" } },
    buffers: { dy: { ref: { input: 0 }, type: "f32" } },
    uniforms: { factor: { f32: 2 / sizeOf(outputs[0]!.shape) } },
  })],
};

/** Mean squared error over all elements: f32 `[1]`. */
export function meanSquaredError(prediction: Tensor, target: Tensor): Tensor {
  return prediction.graph.apply(meanSquaredErrorOp, {}, [prediction, target])[0]!;
}
