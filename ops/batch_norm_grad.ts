import type { FloatType } from "../runtime/core/dtype.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { OpDef } from "../runtime/graph/op.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { batchNormGrad } from "./kernels/batch_norm_grad.ts";
import { channelRows } from "./kernels/channel_rows.ts";
import { inputBuffer, outputBuffer } from "./kernels/tensors.ts";

export interface BatchNormGradAttrs {
  /** The activation of the forward node. */
  readonly activation: "none" | "relu";
  /** Whether the gradient behind the activation is an output: that of the residual. */
  readonly residual: boolean;
  /** Type of dbeta; dgamma has gamma's. */
  readonly betaType: FloatType;
}

/**
 * Gradient of batch normalisation by the batch's statistics; see `kernels/batch_norm_grad.ts` for the formulas.
 *
 * Inputs: dy, x, gamma, mean and inverse standard deviation f32 `[2, c]`, and y where the activation is relu. Outputs: dx,
 * dgamma, dbeta, and the masked dy where `residual` says so.
 */
export const batchNormGradOp: OpDef<BatchNormGradAttrs> = {
  type: "batch_norm_grad",
  dtypeRule: "normalize",
  shape([dy, x, gamma], { residual, betaType }) {
    return [x!, gamma!, rowMajor(gamma!.shape, betaType), ...(residual ? [dy!] : [])];
  },
  cost: (inputs, outputs, { activation }) => ({
    flops: (activation === "relu" ? 11 : 9) * sizeOf(outputs[0]!.shape),
    // dy, x and y are read once for the sums and once for dx
    bytes: bytesOf(...inputs, ...outputs, ...inputs.filter((_, i) => i !== 2 && i !== 3)),
  }),
  inPlace: (_inputs, outputs) => [{ input: 0, output: 0 }, ...(outputs.length > 3 ? [{ input: 0, output: 3 }] : [])],
  candidates: ({ inputs, outputs, traits, attrs }) => [batchNormGrad({
    shape: channelRows(inputs[1]!, traits),
    traits,
    buffers: {
      dy: inputBuffer(inputs, 0),
      x: inputBuffer(inputs, 1),
      gamma: inputBuffer(inputs, 2),
      saved: inputBuffer(inputs, 3),
      y: attrs.activation === "relu" ? inputBuffer(inputs, 4) : null,
      dx: outputBuffer(outputs, 0),
      dgamma: outputBuffer(outputs, 1),
      dbeta: outputBuffer(outputs, 2),
      dresidual: attrs.residual ? outputBuffer(outputs, 3) : null,
    },
  })],
};
