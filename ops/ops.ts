import type { OpDef } from "../runtime/graph/op.ts";
import { activationGradOp, biasActivationGradOp } from "./activation_grad.ts";
import { adaptiveAvgPool2dOp } from "./adaptive_avg_pool2d.ts";
import { addOp } from "./add.ts";
import { addReluOp } from "./add_relu.ts";
import { absOp, divOp, mulOp, negOp, signOp, subOp } from "./arithmetic.ts";
import { atanOp, cosOp, erfOp, sinOp } from "./trigonometry.ts";
import { assignOp } from "./assign.ts";
import { attentionGradOp, attentionOp } from "./attention.ts";
import { augmentOp } from "./augment.ts";
import { avgPool2dGradOp, avgPool2dOp } from "./avg_pool2d.ts";
import { batchNormGradOp, batchNormOp } from "./batch_norm.ts";
import { biasGradOp } from "./bias_grad.ts";
import { castOp, integerCastOp } from "./cast.ts";
import { clampOp, maximumOp, minimumOp, whereOp } from "./choice.ts";
import { equalOp, greaterEqualOp, greaterOp, isNanOp, lessEqualOp, lessOp, notEqualOp } from "./comparisons.ts";
import { concatOp, splitOp } from "./concat.ts";
import { conv2dInputGradOp, conv2dOp, conv2dWeightGradOp } from "./conv2d.ts";
import { convTranspose2dOp } from "./conv_transpose2d.ts";
import { copyOp } from "./copy.ts";
import { crossEntropyGradOp, crossEntropyOp, crossEntropyRowsOp } from "./cross_entropy.ts";
import { cumsumOp } from "./cumsum.ts";
import { dropoutGradOp, dropoutOp } from "./dropout.ts";
import { elementwiseChainOp } from "./elementwise_chain.ts";
import { expOp, logOp, rsqrtOp, sqrtOp } from "./exponential.ts";
import { argmaxOp, logSumExpOp, maxOp, minOp } from "./extremes.ts";
import { flattenOp } from "./flatten.ts";
import { embeddingOp, gatherOp, lastWriteOp, scatterAddOp } from "./gather.ts";
import { geluOp } from "./gelu.ts";
import { globalAvgPool2dGradOp, globalAvgPool2dOp } from "./global_avg_pool2d.ts";
import { integerElementwiseOp } from "./integer_elementwise.ts";
import { integerReductionOp } from "./integer_reduction.ts";
import { isCorrectOp } from "./is_correct.ts";
import { linearInputGradOp, linearOp, linearWeightGradOp } from "./linear.ts";
import { matmulOp } from "./matmul.ts";
import { maxPool2dGradOp, maxPool2dOp } from "./max_pool2d.ts";
import { oneHotOp } from "./one_hot.ts";
import { powOp } from "./pow.ts";
import { randomNormalOp, randomUniformOp } from "./random.ts";
import { eluOp, leakyReluOp, relu6Op, softplusOp } from "./rectifiers.ts";
import { reluOp } from "./relu.ts";
import { reshapeOp } from "./reshape.ts";
import { rotaryOp } from "./rotary.ts";
import { ceilOp, floorOp, roundOp } from "./rounding.ts";
import { layerNormOp, rmsNormOp } from "./row_norm.ts";
import { sigmoidOp } from "./sigmoid.ts";
import { hardSigmoidOp, hardSwishOp, siluOp } from "./silu.ts";
import { sinusoidalPositionsOp } from "./sinusoidal_positions.ts";
import { padOp, sliceOp } from "./slice.ts";
import { logSoftmaxGradOp, logSoftmaxOp, softmaxGradOp, softmaxOp } from "./softmax.ts";
import { stopGradientOp } from "./stop_gradient.ts";
import { expandOp, meanOp, sumOp } from "./sum.ts";
import { tanhOp } from "./tanh.ts";
import { toLayoutOp } from "./to_layout.ts";
import { topIndicesOp } from "./top_k.ts";
import { transposeOp } from "./transpose.ts";
import { triangleOp } from "./triangle.ts";
import { upsampleBilinearOp, upsampleNearestOp } from "./upsample.ts";

/**
 * The ops of this folder, one per type; `batch_norm` is listed in its training form. Losses define further ops; see
 * `runtime/nn/all_ops.ts` for the complete list.
 */
export const OPS: readonly OpDef<never>[] = [
  absOp,
  absOp.gradientOp,
  activationGradOp,
  adaptiveAvgPool2dOp,
  adaptiveAvgPool2dOp.gradientOp,
  addOp,
  addReluOp,
  argmaxOp,
  assignOp,
  atanOp,
  atanOp.gradientOp,
  attentionGradOp,
  attentionOp,
  augmentOp,
  avgPool2dGradOp,
  avgPool2dOp,
  batchNormGradOp,
  batchNormOp,
  biasActivationGradOp,
  biasGradOp,
  castOp,
  ceilOp,
  clampOp,
  clampOp.gradientOp,
  concatOp,
  conv2dInputGradOp,
  conv2dOp,
  conv2dWeightGradOp,
  convTranspose2dOp,
  copyOp,
  cosOp,
  cosOp.gradientOp,
  crossEntropyGradOp,
  crossEntropyOp,
  crossEntropyRowsOp,
  cumsumOp,
  divOp,
  divOp.gradientOp,
  dropoutGradOp,
  dropoutOp,
  elementwiseChainOp,
  eluOp,
  eluOp.gradientOp,
  equalOp,
  erfOp,
  erfOp.gradientOp,
  expOp,
  expOp.gradientOp,
  expandOp,
  flattenOp,
  floorOp,
  gatherOp,
  embeddingOp,
  geluOp,
  geluOp.gradientOp,
  globalAvgPool2dGradOp,
  globalAvgPool2dOp,
  greaterEqualOp,
  greaterOp,
  hardSigmoidOp,
  hardSigmoidOp.gradientOp,
  hardSwishOp,
  hardSwishOp.gradientOp,
  integerCastOp,
  integerElementwiseOp,
  integerReductionOp,
  isCorrectOp,
  isNanOp,
  lastWriteOp,
  layerNormOp,
  layerNormOp.gradientOp,
  layerNormOp.weightGradOp,
  leakyReluOp,
  leakyReluOp.gradientOp,
  lessEqualOp,
  lessOp,
  linearInputGradOp,
  linearOp,
  linearWeightGradOp,
  logOp,
  logOp.gradientOp,
  logSoftmaxGradOp,
  logSoftmaxOp,
  logSumExpOp,
  matmulOp,
  maxOp,
  maxPool2dGradOp,
  maxPool2dOp,
  maximumOp,
  maximumOp.gradientOp,
  meanOp,
  minOp,
  minimumOp,
  minimumOp.gradientOp,
  mulOp,
  mulOp.gradientOp,
  negOp,
  negOp.gradientOp,
  notEqualOp,
  oneHotOp,
  padOp,
  powOp,
  powOp.gradientOp,
  randomNormalOp,
  randomUniformOp,
  relu6Op,
  relu6Op.gradientOp,
  reluOp,
  reluOp.gradientOp,
  reshapeOp,
  rmsNormOp,
  rmsNormOp.gradientOp,
  rmsNormOp.weightGradOp,
  roundOp,
  rotaryOp,
  rsqrtOp,
  rsqrtOp.gradientOp,
  scatterAddOp,
  sigmoidOp,
  sigmoidOp.gradientOp,
  signOp,
  siluOp,
  siluOp.gradientOp,
  sinOp,
  sinOp.gradientOp,
  sinusoidalPositionsOp,
  sliceOp,
  softmaxGradOp,
  softmaxOp,
  softplusOp,
  softplusOp.gradientOp,
  splitOp,
  sqrtOp,
  sqrtOp.gradientOp,
  stopGradientOp,
  subOp,
  subOp.gradientOp,
  sumOp,
  tanhOp,
  tanhOp.gradientOp,
  toLayoutOp,
  topIndicesOp,
  transposeOp,
  triangleOp,
  upsampleNearestOp,
  upsampleNearestOp.gradientOp,
  upsampleBilinearOp,
  upsampleBilinearOp.gradientOp,
  whereOp,
  whereOp.gradientOp,
];
