import type { FloatType } from "../runtime/core/dtype.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef } from "../runtime/graph/op.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { batchNormGrad } from "./kernels/batch_norm_grad.ts";
import { channelRows } from "./kernels/channel_rows.ts";
import { inputBuffer, outputBuffer } from "./kernels/tensors.ts";

export interface BatchNormGradAttrs {
  /** Activation of the forward node. */
  readonly activation: "none" | "relu";
  /** True if the masked dy, which is the gradient of the residual, is an output. */
  readonly residual: boolean;
  /**
   * Tensor that shows where the ReLU passed values: its output y, or x if there is no residual; beta then replaces y.
   */
  readonly sign?: "y" | "x";
  /** True if dy is the sum of input 0 and the last input. */
  readonly second?: boolean;
  /** Type of dbeta; dgamma has the type of gamma. */
  readonly betaType: FloatType;
}

/**
 * Gradient of batch normalisation with the batch's statistics; see `kernels/batch_norm_grad.ts` for the formulas.
 *
 * Inputs: dy, x, gamma, mean and inverse standard deviation f32 `[2, c]`, y if the activation is relu, and the second
 * gradient if `second`. Outputs: dx, dgamma, dbeta, and the masked dy if `residual`.
 */
export const batchNormGradOp: OpDef<BatchNormGradAttrs> = {
  type: "batch_norm_grad",
  precision: "normalize",
  aliases: { singa: "GpuBatchNormBackward" },
  shape([dy, x, gamma], { residual, betaType }) {
    return [x!, gamma!, rowMajor(gamma!.shape, betaType), ...(residual ? [dy!] : [])];
  },
  cost: (inputs, outputs, { activation, second = false, sign = "y" }) => ({
    flops: ((activation === "relu" ? 11 : 9) + (second ? 1 : 0) + (sign === "x" ? 4 : 0)) * sizeOf(outputs[0]!.shape),
    // The sums and dx each read dy, x and y. If dy is a sum of two, dx reads x and the masked dy
    bytes: bytesOf(
      ...inputs,
      ...outputs,
      ...(second ? [inputs[1], outputs[3]] : inputs.filter((_, i) => i < 2 || (i === 4 && sign === "y"))),
    ),
  }),
  inPlace: (_inputs, outputs) => [{ input: 0, output: 0 }, ...(outputs.length > 3 ? [{ input: 0, output: 3 }] : [])],
  candidates: ({ inputs, outputs, traits, attrs, over }) => [batchNormGrad({
    shape: channelRows(inputs[1]!, traits),
    traits,
    buffers: {
      dy: inputBuffer(inputs, 0),
      x: inputBuffer(inputs, 1),
      gamma: inputBuffer(inputs, 2),
      saved: inputBuffer(inputs, 3),
      second: attrs.second ? inputBuffer(inputs, inputs.length - 1) : null,
      y: attrs.activation === "relu" && attrs.sign !== "x" ? inputBuffer(inputs, 4) : null,
      beta: attrs.sign === "x" ? inputBuffer(inputs, 4) : null,
      dx: outputBuffer(outputs, 0, over),
      dgamma: outputBuffer(outputs, 1),
      dbeta: outputBuffer(outputs, 2),
      dresidual: attrs.residual ? outputBuffer(outputs, 3, over) : null,
    },
  })],
};
