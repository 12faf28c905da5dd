/** Prints the ranks of a distributed variant: their table, and the all-reduces in the logs of other tools. */
import { match, strictEqual } from "node:assert/strict";
import { renderDialect } from "../../../runtime/report/dialects/dialect.ts";
import { ranksTable } from "../../../runtime/report/outcome/ranks.ts";
import type { Result, VariantResult } from "../../../runtime/result/schema.ts";
import { fullResult } from "../html/full_result.ts";

/** The variant that trains on two ranks, with an all-reduce in each step. */
function distributed(): { result: Result; variant: VariantResult } {
  const result = fullResult();
  const variant = result.variants.find(({ ranks }) => ranks !== undefined)!;
  const allReduce = { copyOut: 4.5, wait: 18.5, network: 7.25, copyIn: 1.25, hidden: 11.5 };
  const blocks = variant.blocks.map((block) => ({
    ...block,
    steps: block.steps.map((step) => ({ ...step, allReduce })),
  }));
  return { result: { ...result, variants: [{ ...variant, blocks }] }, variant };
}

Deno.test("the table of ranks has a row for each rank, and notes name the network and the straggler", () => {
  const { variant } = distributed();
  const { rows, notes } = ranksTable({ variants: [variant] });
  strictEqual(rows.length, 2);
  const text = notes!.join("\n");
  match(text, /4\.86 MiB of gradients in 2 all-reduces; the network takes 0\.05 ms and 1200 MB\/s/);
  match(
    text,
    /rank 1 \(node1\.cluster\.example\) is slow: 18\.0 ms longer than the others, most of it in loading data/,
  );
});

Deno.test("SINGA's log has a line for each all-reduce at verbosity 3, and MindInsight's a column for the step", () => {
  const { result, variant } = distributed();
  const log = (dialect: "singa" | "mindinsight", verbosity: 1 | 2 | 3) =>
    renderDialect(dialect, result, { verbosity, columns: null, color: false });
  const reduces = log("singa", 3).match(/^OP_ID\d+\. all_reduce \(.*\) : .* sec$/gm)!;
  strictEqual(reduces.length, 2);
  match(
    reduces[0]!,
    new RegExp(
      `^OP_ID${variant.ops.length}\\. all_reduce \\(4194304 bytes of 20 parameters, 2 ranks\\) : 0\\.004 sec$`,
    ),
  );
  strictEqual(/all_reduce/.test(log("singa", 2)), false);
  match(log("mindinsight", 2), /fp_and_bp\(ms\) +all_reduce\(ms\) +tail\(ms\)/);
  match(log("mindinsight", 2), / 31\.5000? /); // copies, wait and network
});
