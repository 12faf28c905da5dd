import type { OpDef } from "../runtime/graph/op.ts";
import { activationGradOp, biasActivationGradOp } from "./activation_grad.ts";
import { addOp } from "./add.ts";
import { addReluOp } from "./add_relu.ts";
import { augmentOp } from "./augment.ts";
import { avgPool2dGradOp, avgPool2dOp } from "./avg_pool2d.ts";
import { batchNormOp } from "./batch_norm.ts";
import { batchNormGradOp } from "./batch_norm_grad.ts";
import { biasGradOp } from "./bias_grad.ts";
import { castOp } from "./cast.ts";
import { conv2dOp } from "./conv2d.ts";
import { conv2dInputGradOp } from "./conv2d_input_grad.ts";
import { conv2dWeightGradOp } from "./conv2d_weight_grad.ts";
import { copyOp } from "./copy.ts";
import { crossEntropyGradOp, crossEntropyOp, crossEntropyRowsOp } from "./cross_entropy.ts";
import { dropoutGradOp, dropoutOp } from "./dropout.ts";
import { elementwiseChainOp } from "./elementwise_chain.ts";
import { flattenOp } from "./flatten.ts";
import { geluOp } from "./gelu.ts";
import { globalAvgPool2dGradOp, globalAvgPool2dOp } from "./global_avg_pool2d.ts";
import { isCorrectOp } from "./is_correct.ts";
import { linearOp } from "./linear.ts";
import { linearInputGradOp } from "./linear_input_grad.ts";
import { linearWeightGradOp } from "./linear_weight_grad.ts";
import { matmulOp } from "./matmul.ts";
import { maxPool2dGradOp, maxPool2dOp } from "./max_pool2d.ts";
import { reluOp } from "./relu.ts";
import { reshapeOp } from "./reshape.ts";
import { sigmoidOp } from "./sigmoid.ts";
import { tanhOp } from "./tanh.ts";
import { toLayoutOp } from "./to_layout.ts";

/**
 * The ops of this folder, one per type; `batch_norm` is listed in its training form. Losses define further ops; see
 * `runtime/nn/all_ops.ts` for the complete list.
 */
export const OPS: readonly OpDef<never>[] = [
  activationGradOp,
  addOp,
  addReluOp,
  augmentOp,
  avgPool2dGradOp,
  avgPool2dOp,
  batchNormGradOp,
  batchNormOp,
  biasActivationGradOp,
  biasGradOp,
  castOp,
  conv2dInputGradOp,
  conv2dOp,
  conv2dWeightGradOp,
  copyOp,
  crossEntropyGradOp,
  crossEntropyOp,
  crossEntropyRowsOp,
  dropoutGradOp,
  dropoutOp,
  elementwiseChainOp,
  flattenOp,
  geluOp,
  geluOp.gradientOp,
  globalAvgPool2dGradOp,
  globalAvgPool2dOp,
  isCorrectOp,
  linearInputGradOp,
  linearOp,
  linearWeightGradOp,
  matmulOp,
  maxPool2dGradOp,
  maxPool2dOp,
  reluOp,
  reluOp.gradientOp,
  reshapeOp,
  sigmoidOp,
  sigmoidOp.gradientOp,
  tanhOp,
  tanhOp.gradientOp,
  toLayoutOp,
];
