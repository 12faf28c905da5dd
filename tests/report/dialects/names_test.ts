import assert from "node:assert/strict";
import { OPS } from "../../../ops/ops.ts";
import { factsOf } from "../../../runtime/graph/op.ts";
import { renderDialect } from "../../../runtime/report/dialects/dialect.ts";
import { type Dialect, opName } from "../../../runtime/report/dialects/names.ts";
import { op, profiledResult } from "../profile_fixture.ts";

/**
 * Names of an op type in SINGA, nnabla, Paddle and MindSpore, from the tools' sources:
 * - SINGA: the names passed to `Device::Exec` in src/core/tensor/tensor.cc and, for CUDA, src/model/operation
 * - nnabla: build-tools/code_generator/api_levels.yaml
 * - Paddle: the names in parentheses of paddle/phi/ops/yaml/op_compat.yaml
 * - MindSpore: mindspore/core/base/core_ops.h and mindspore/core/ops/{nn,math,array}_op_name.h, and for
 *   gradients its REG_BPROP_BUILDER
 *
 * Ops that a tool lacks have Tacho's names.
 */
const NAMES = `
softmax SoftMax Softmax softmax Softmax
softmax_grad SoftmaxBackward SoftmaxGrad softmax_grad SoftmaxGrad
log_softmax LogSoftmax LogSoftmax log_softmax LogSoftmax
log_softmax_grad LogSoftmaxGrad LogSoftmaxGrad log_softmax_grad LogSoftmaxGrad
layer_norm LayerNorm LayerNormalization layer_norm LayerNorm
layer_norm_grad LayerNormGrad LayerNormGrad layer_norm_grad LayerNormGrad
layer_norm_weight_grad LayerNormWeightGrad LayerNormWeightGrad layer_norm_grad LayerNormGrad
rms_norm RmsNorm RmsNorm rms_norm RmsNorm
rms_norm_weight_grad RmsNormWeightGrad RmsNormWeightGrad rms_norm_grad RmsNormGrad
batch_norm GpuBatchNormForwardTraining BatchNormalization batch_norm BatchNorm
batch_norm_grad GpuBatchNormBackward BatchNormGrad batch_norm_grad BatchNormGrad
tiled_attention TiledAttention TiledAttention flash_attn FlashAttentionScore
tiled_attention_grad TiledAttentionGrad TiledAttentionGrad flash_attn_grad FlashAttentionScoreGrad
rotary Rotary Rotary fused_rotary_position_embedding RotaryPositionEmbedding
embedding Embedding Embed lookup_table_v2 Gather
gather Gather Gather take_along_axis GatherD
scatter_add ScatterAdd ScatterAdd put_along_axis ScatterAdd
linear GEMM Affine fc MatMul
matmul GEMMBatched BatchMatmul matmul_v2 BatchMatMul
cross_entropy ComputeCrossEntropy SoftmaxCrossEntropy softmax_with_cross_entropy SparseSoftmaxCrossEntropyWithLogits
conv2d cudnnConvForward Convolution conv2d Conv2D
conv2d_input_grad cudnnConvolutionBackwardData Conv2dInputGrad conv2d_grad Conv2DBackpropInput
conv2d_weight_grad cudnnConvolutionBackwardFilter Conv2dWeightGrad conv2d_grad Conv2DBackpropFilter
conv_transpose2d ConvTranspose2d Deconvolution conv2d_transpose Conv2DTranspose
bias_grad cudnnConvolutionBackwardBias BiasGrad elementwise_add_grad BiasAddGrad
max_pool2d GpuPoolingForward MaxPooling pool2d MaxPool
max_pool2d_grad GpuPoolingBackward MaxPool2dGrad pool2d_grad MaxPoolGrad
adaptive_avg_pool2d AdaptiveAvgPool2d AveragePooling pool2d AdaptiveAvgPool2D
adaptive_avg_pool2d_grad AdaptiveAvgPool2dGrad AdaptiveAvgPool2dGrad pool2d_grad AdaptiveAvgPool2DGrad
global_avg_pool2d GlobalAvgPool2d GlobalAveragePooling pool2d AdaptiveAvgPool2D
upsample_nearest UpsampleNearest Interpolate nearest_interp_v2 ResizeNearestNeighbor
upsample_bilinear UpsampleBilinear Interpolate bilinear_interp_v2 ResizeBilinear
upsample_bilinear_grad UpsampleBilinearGrad UpsampleBilinearGrad bilinear_interp_v2_grad ResizeBilinearGrad
add Add Add2 elementwise_add Add
sub Sub Sub2 elementwise_sub Sub
mul EltwiseMult Mul2 elementwise_mul Mul
mul_grad MulGrad MulGrad elementwise_mul_grad MulGrad
div Div Div2 elementwise_div RealDiv
maximum_grad MaximumGrad MaximumGrad elementwise_max_grad MaximumGrad
neg EltwiseMult MulScalar scale Neg
clamp Clamp MinimumScalar clip ClipByValue
less LT Less less_than Less
where Where Where where Select
triangle Triangle Triangle tril_triu MatrixBandPart
relu ReLU ReLU relu ReLU
relu_grad ReLUBackward ReluGrad relu_grad ReluGrad
relu6_grad Relu6Grad Relu6Grad relu6_grad ReLU6Grad
gelu Gelu GELU gelu GeLU
gelu_grad GeluGrad GeluGrad gelu_grad GeLUGrad
silu Silu Swish silu SiLU
silu_grad SiluGrad SiluGrad silu_grad SiLUGrad
hard_sigmoid HardSigmoid HardSigmoid hard_sigmoid HSigmoid
hard_sigmoid_grad HardSigmoidGrad HardSigmoidGrad hard_sigmoid_grad HSigmoidGrad
leaky_relu_grad LeakyReluGrad LeakyReluGrad leaky_relu_grad LeakyReLUGradExt
hard_swish_grad HardSwishGrad HardSwishGrad hard_swish_grad HSwishGrad
softplus SoftPlus SoftPlus softplus Softplus
sigmoid Sigmoid Sigmoid sigmoid Sigmoid
tanh Tanh Tanh tanh Tanh
concat Concat Concatenate concat Concat
split Split Split split Split
slice Slice Slice slice StridedSlice
transpose Transpose Transpose transpose2 Transpose
reduce_sum ReduceSum Sum reduce_sum ReduceSum
reduce_mean ReduceMean Mean reduce_mean ReduceMean
argmax Argmax Max arg_max Argmax
cast AsType Cast cast Cast
dropout Dropout Dropout dropout Dropout
random_uniform Uniform Rand uniform_random UniformReal
random_normal Gaussian Randn gaussian_random StandardNormal
`.trim().split("\n").map((line) => line.split(" "));

Deno.test("ops have the names that the tools give them", () => {
  for (const [type = "", ...expected] of NAMES) {
    const found = OPS.find((op) => op.type === type);
    assert(found !== undefined, type);
    const record = { type, aliases: factsOf(found).aliases };
    const named = (["singa", "nnc", "paddle", "mindinsight"] satisfies Dialect[]).map((tool) => opName(tool, record));
    assert.deepEqual([type, ...named], [type, ...expected]);
  }
});

Deno.test("the tables of Paddle and MindInsight group ops by the tool's names", () => {
  const aliased = (id: string, type: string) =>
    op(id, type, 1, { aliases: { paddle: "pool2d", mindinsight: "MaxPool" } });
  const run = profiledResult({ ops: [aliased("a", "max_pool2d"), aliased("b", "avg_pool2d")] });
  const text = (dialect: Dialect) => renderDialect(dialect, run, { verbosity: 2, columns: null, color: false });
  assert.equal(text("paddle").match(/^pool2d /gm)?.length, 1);
  assert.equal(text("mindinsight").match(/\bMaxPool\b/g)?.length, 3);
  for (const dialect of ["paddle", "mindinsight"] as const) {
    // The names of the kernels may contain the types
    assert.doesNotMatch(text(dialect), /^ *(?:Device +)?(?:max|avg)_pool2d /m);
  }
});
