import assert from "node:assert/strict";
import { GRADIENT_BLOCK_BYTES, overflowTestKernel } from "../../../ops/optimizer/overflow.ts";
import { STEP_STATE_WORDS, StepWord } from "../../../ops/optimizer/step_state.ts";
import { DTYPE_BYTES } from "../../../runtime/core/dtype.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { evaluate } from "../../support/evaluate.ts";
import { kernelOp } from "../../support/kernel_op.ts";
import { everyCandidate } from "../../support/op_case.ts";

for (const dtype of ["f32", "f16"] as const) {
  Deno.test(`the overflow test finds non-finite gradients in the valid part of each block only: ${dtype}`, async () => {
    const inBlock = GRADIENT_BLOCK_BYTES / DTYPE_BYTES[dtype];
    for (const blocks of [1, 3, 64, 131]) {
      const graph = new Graph();
      const gradients = graph.leaf("input", "gradients", rowMajor([blocks * inBlock], dtype));
      const table = graph.leaf("input", "table", rowMajor([blocks], "i32"));
      const state = graph.leaf("input", "state", rowMajor([STEP_STATE_WORDS], "i32"));
      const op = kernelOp([rowMajor([1], "f32")], (traits) => {
        const kernel = overflowTestKernel(blocks, dtype, traits);
        const bindings = kernel.bindings.map((binding) =>
          "output" in binding.ref ? { ...binding, ref: { input: 2 } } : binding
        );
        return { ...kernel, bindings };
      });
      const [done] = graph.apply(op, null, [gradients, table, state]);
      // The valid part of the last block ends at an odd index
      const valid = Array.from({ length: blocks }, (_, i) => i === blocks - 1 ? 7 : inBlock);
      const end = (blocks - 1) * inBlock + 7;
      const places = [0, 6, end - 1, Math.floor(end / 2), Math.floor(end / 3) | 1, end, end + 1, blocks * inBlock - 1];
      for (
        const [place, value] of [
          [null, 0],
          ...places.flatMap((at) => [[at, NaN], [at, -Infinity]] as const),
        ] as const
      ) {
        const values = new Float64Array(blocks * inBlock).fill(60000);
        if (place !== null) values[place] = value;
        const leaves = new Map<string, ArrayLike<number>>([
          ["gradients", values],
          ["table", valid],
          ["state", new Float64Array(STEP_STATE_WORDS)],
        ]);
        await everyCandidate(async (options, where) => {
          const [, words] = await evaluate([done!, state], leaves, options);
          const found = place !== null && place < end ? 1 : 0;
          assert.equal(words![StepWord.overflow], found, `${value} at ${place} of ${blocks} blocks, ${where}`);
          assert.equal(words!.reduce((sum, word) => sum + word, 0), found, "nothing else is written");
        });
      }
    }
  });
}
