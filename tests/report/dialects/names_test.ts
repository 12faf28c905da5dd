import assert from "node:assert/strict";
import { OPS } from "../../../ops/ops.ts";
import { factsOf } from "../../../runtime/graph/op.ts";
import { renderDialect } from "../../../runtime/report/dialects/dialect.ts";
import { type Dialect, opName } from "../../../runtime/report/dialects/names.ts";
import { op, profiledResult } from "../profile_fixture.ts";

/** Names of an op type in nnabla, Paddle and MindSpore. */
const NAMES: readonly [type: string, nnc: string, paddle: string, mindinsight: string][] = [
  ["softmax", "Softmax", "softmax", "Softmax"],
  ["log_softmax", "LogSoftmax", "log_softmax", "LogSoftmax"],
  ["log_softmax_grad", "LogSoftmaxGrad", "log_softmax_grad", "LogSoftmaxGrad"],
  ["layer_norm", "LayerNormalization", "layer_norm", "LayerNorm"],
  ["layer_norm_grad", "LayerNormGrad", "layer_norm_grad", "LayerNormGrad"],
  ["rms_norm", "RMSNormalization", "rms_norm", "RmsNorm"],
  ["batch_norm", "BatchNormalization", "batch_norm", "BatchNorm"],
  ["tiled_attention", "TiledAttention", "flash_attn", "FlashAttentionScore"],
  ["embedding", "Embed", "lookup_table_v2", "Gather"],
  ["gather", "Gather", "take_along_axis", "GatherD"],
  ["scatter_add", "ScatterAdd", "put_along_axis", "ScatterAdd"],
  ["linear", "Affine", "fc", "MatMul"],
  ["matmul", "BatchMatmul", "matmul_v2", "BatchMatMul"],
  ["cross_entropy", "SoftmaxCrossEntropy", "softmax_with_cross_entropy", "SparseSoftmaxCrossEntropyWithLogits"],
  ["conv2d", "Convolution", "conv2d", "Conv2D"],
  ["conv2d_weight_grad", "Conv2dWeightGrad", "conv2d_grad", "Conv2DBackpropFilter"],
  ["max_pool2d", "MaxPooling", "pool2d", "MaxPool"],
  ["add", "Add2", "elementwise_add", "Add"],
  ["sub", "Sub2", "elementwise_sub", "Sub"],
  ["mul", "Mul2", "elementwise_mul", "Mul"],
  ["div", "Div2", "elementwise_div", "RealDiv"],
  ["less", "Less", "less_than", "Less"],
  ["where", "Where", "where", "Select"],
  ["relu", "ReLU", "relu", "ReLU"],
  ["gelu", "GELU", "gelu", "GeLU"],
  ["silu", "Swish", "silu", "SiLU"],
  ["sigmoid", "Sigmoid", "sigmoid", "Sigmoid"],
  ["tanh", "Tanh", "tanh", "Tanh"],
  ["concat", "Concatenate", "concat", "Concat"],
  ["split", "Split", "split", "Split"],
  ["slice", "Slice", "slice", "StridedSlice"],
  ["transpose", "Transpose", "transpose2", "Transpose"],
  ["reduce_sum", "Sum", "reduce_sum", "ReduceSum"],
  ["reduce_mean", "Mean", "reduce_mean", "ReduceMean"],
  ["dropout", "Dropout", "dropout", "Dropout"],
];

Deno.test("ops have the names that the tools give them", () => {
  for (const [type, nnc, paddle, mindinsight] of NAMES) {
    const found = OPS.find((op) => op.type === type);
    assert(found !== undefined, type);
    const record = { type, aliases: factsOf(found).aliases };
    const named = (["nnc", "paddle", "mindinsight"] satisfies Dialect[]).map((dialect) => opName(dialect, record));
    assert.deepEqual([type, ...named], [type, nnc, paddle, mindinsight]);
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
