import assert from "node:assert/strict";
import { ALL_OPS } from "../../runtime/nn/all_ops.ts";
import {
  AMP_LEVELS,
  DATA_TYPES,
  describeLevels,
  halfPrecisionOps,
  STORED_TYPES,
} from "../../runtime/scenario/amp_levels.ts";

Deno.test("an AMP level lists its f16 ops or its f32 ops, whichever are fewer", () => {
  assert.equal(halfPrecisionOps("O0"), "none");
  assert.match(halfPrecisionOps("O1"), /^tiled_attention, conv2d, conv_transpose2d, linear, matmul$/);
  assert.match(halfPrecisionOps("O2"), /^all but .*cross_entropy, .*mean_squared_error/);
  assert.doesNotMatch(halfPrecisionOps("O2"), /batch_norm|dropout/);
  assert.equal(halfPrecisionOps("O3"), "all");
  assert.match(describeLevels(), /O3: all; weights and running statistics: f32, in O3 f16$/);
});

/** Our ops on PyTorch's lists of `autocast` for CUDA: those that run in f16, and those that run in f32. */
const AUTOCAST = {
  f16: ["conv2d", "conv_transpose2d", "linear", "matmul", "tiled_attention"],
  f32: [
    ["binary_cross_entropy", "cross_entropy", "huber", "mean_squared_error"],
    ["cumsum", "reduce_sum"],
    ["exp", "log", "pow", "rsqrt", "softplus"],
    ["layer_norm", "log_softmax", "softmax"],
  ].flat(),
};

Deno.test("O1 and O2 run the ops of autocast's lists, and their gradients, in the lists' precision", () => {
  for (const [dtype, types] of Object.entries(AUTOCAST)) {
    for (const type of types) {
      const ops = ALL_OPS.filter((op) => op.type === type || new RegExp(`^${type}(_\\w+)?_grad$`).test(op.type));
      assert.ok(ops.some((op) => op.type === type), type);
      for (const op of ops) {
        for (const level of ["O1", "O2"] as const) assert.equal(DATA_TYPES[level][op.precision], dtype, op.type);
      }
    }
  }
});

Deno.test("the guide's table of AMP levels matches the code", async () => {
  const rows = AMP_LEVELS.map((level) => {
    const ops = halfPrecisionOps(level, (type) => `\`${type}\``);
    return [`\`${level}\``, ops, STORED_TYPES[level]];
  });
  const table = [["`amp`", "ops whose data is f16", "weights and running statistics"], ...rows];
  const widths = [0, 1, 2].map((i) => Math.max(...table.map((row) => row[i]!.length)));
  const lines = table.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`);
  const expected = [lines[0], `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...lines.slice(1)].join(
    "\n",
  );
  const page = await Deno.readTextFile(new URL("../../docs/guide/amp.md", import.meta.url));
  assert(page.includes(expected), `docs/guide/amp.md should have\n${expected}`);
});
