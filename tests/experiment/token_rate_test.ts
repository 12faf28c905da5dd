/** Throughput in tokens per second, from the record to the tables. */
import assert from "node:assert/strict";
import {
  checkGates,
  crossEntropy,
  embedding,
  linear,
  measure,
  render,
  sequential,
  sgd,
  tensors,
  tokens,
} from "../../mod.ts";
import { pipelinesTable } from "../../runtime/report/pipeline_tables.ts";
import { blocksTable } from "../../runtime/report/outcome/blocks.ts";
import { resultSchema } from "../../runtime/result/schema.ts";

const ids = Uint8Array.from({ length: 400 }, (_, i) => (i * i) % 11);

Deno.test("samples of tokens are counted by token in blocks, rates, tables and gates", async () => {
  const result = await measure({
    name: "tokens",
    model: sequential(embedding(11, 4), linear(11)),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: tokens({ array: ids, context: 6, testFraction: 0 }),
    loader: { batchSize: 4 },
    measure: { steps: 2, skip: 1, maxSkip: 1, rounds: 2, aa: false },
    variants: { baseline: {}, larger: { loader: { batchSize: 8 } } },
  }, { settings: [] });
  resultSchema.parse(result);
  for (const [i, batchSize] of [4, 8].entries()) {
    const { blocks, metrics: { ips }, pipeline } = result.variants[i]!;
    assert.deepEqual(blocks.map(({ samples }) => samples), Array(2).fill(2 * batchSize * 6));
    const rates = blocks.map(({ samples, wall }) => samples / wall * 1000);
    assert.equal(ips!.unit, "tokens/s");
    // The mean over the time per token
    assert.ok(Math.abs(ips!.value * (1 / rates[0]! + 1 / rates[1]!) / 2 - 1) < 1e-9);
    assert.ok(Math.abs(pipeline!.ips.avg / (batchSize * 6 * 1000 / pipeline!.batchCost.avg) - 1) < 1e-9);
  }
  assert.match(await render(result, { format: "csv" }), /tokens\/s/);
  assert.match(await render(result, { sections: ["matrix"] }), /variant +tokens\/s/);
  assert.ok(pipelinesTable(result).columns.some(({ name }) => name === "tokens/s"));
  const names = blocksTable(result).columns.map(({ name }) => name);
  assert.ok(names.includes("tokens") && names.includes("ms per token"), names.join());
  const { gates } = await checkGates(result, ["ips.baseline>=1tokens/s"]);
  assert.equal(gates[0]!.unit, "tokens/s");
  assert.notEqual(gates[0]!.state, "missing");
});

Deno.test("tensors are counted by the tokens of their first input where the unit says so", async () => {
  const result = await measure({
    name: "tensors",
    model: sequential(embedding(11, 4), linear(11)),
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: tensors({
      input: { shape: [5], data: new Int32Array(40) },
      target: { shape: [5], data: new Int32Array(40) },
      classes: 11,
      unit: "tokens",
    }),
    loader: { batchSize: 4 },
    measure: { steps: 1, skip: 1, maxSkip: 1, rounds: 1, aa: false },
  });
  const { blocks, metrics } = result.variants[0]!;
  assert.deepEqual([blocks[0]!.samples, metrics.ips!.unit], [20, "tokens/s"]);
});
