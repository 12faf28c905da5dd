import assert from "node:assert/strict";
import { linear, sequential, sgd, tanh } from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { findAdapter } from "../../runtime/device/adapter.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { fitBatches } from "../../runtime/experiment/fit.ts";
import { renderFit } from "../../runtime/report/fit.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { classified, type Settings, small } from "../trainer/models.ts";

const block = () => sequential({ fc1: linear(64), act1: tanh(), fc2: linear(64), act2: tanh() });

const deep = (settings: Settings = {}) =>
  resolveScenario(small({
    model: sequential({ h: sequential(block(), block(), block()), fc: linear(3) }),
    optimizer: sgd({ learningRate: 0.1 }),
    data: classified([64], 3, 2048),
    loader: { batchSize: 600 },
    memoryBudget: "1200KiB",
    ...settings,
  }));

const traits = (await findAdapter({ probe: false }))?.traits ?? DEFAULT_TRAITS;

Deno.test("each batch fits the budget and the next does not; recomputation allows more at its price", async () => {
  const scenario = deep();
  const fit = await fitBatches(scenario);
  assert.equal(fit.budget, 1200 * 1024);
  const [variant] = fit.variants;
  assert.deepEqual([variant!.samples, variant!.error], [600, null]);
  const { config } = scenario.variants[0]!;
  for (const { changes, batchSize, accumulate, memory, bound } of variant!.options) {
    const peakOf = (batch: number) => {
      const changed = {
        ...config,
        ...Object.fromEntries(changes.map(({ path, to }) => [path, to])),
        loader: { ...config.loader, batchSize: batch },
      };
      return compileVariant(changed, describeDataset(config.data), traits).memory.peak;
    };
    const where = JSON.stringify(changes);
    assert.equal(memory!.peak, peakOf(batchSize), where);
    assert.ok(memory!.peak <= fit.budget && peakOf(batchSize + 1) > fit.budget, where);
    assert.deepEqual([accumulate, bound], [changes.some(({ path }) => path === "accumulate") ? 2 : 1, "memory"], where);
  }
  const [written, again, parts, both] = variant!.options;
  assert.deepEqual(both!.changes.map(({ path }) => path), ["recompute", "accumulate"]);
  assert.ok(again!.batchSize > written!.batchSize && again!.work! > 1.05, JSON.stringify(again));
  assert.ok(parts!.batchSize <= written!.batchSize && Math.abs(parts!.work! - 1) < 0.05);
  assert.equal(written!.wanted, null);
  const { batchSize, accumulate } = parts!.wanted!;
  assert.ok(batchSize * accumulate === 600 && batchSize <= parts!.batchSize);

  const text = renderFit(fit, { columns: 100, color: false });
  assert.match(text, /its 600\s+samples of a step.* fit with/);
  assert.match(text, new RegExp(`accumulate=${accumulate}\\s+loader.batchSize=${batchSize}`));
});

Deno.test("the data bounds a batch too, and settings that do not apply are left out", async () => {
  const [variant] = (await fitBatches(deep({ memoryBudget: "4GiB", recompute: ["h"], accumulate: 2 }))).variants;
  assert.deepEqual(variant!.options.map(({ changes, batchSize, bound }) => [changes, batchSize, bound]), [
    [[], 1024, "data"],
  ]);
  const [flat] = (await fitBatches(resolveScenario(small({ memoryBudget: "1MiB" })))).variants;
  assert.deepEqual(flat!.options.map(({ changes }) => changes.map(({ path }) => path)), [[], ["accumulate"]]);
  const [inferred] = (await fitBatches(deep({ mode: "infer", memoryBudget: "4GiB" }))).variants;
  assert.equal(inferred!.options.length, 1);
});

Deno.test("a budget too small for one sample is reported", async () => {
  const fit = await fitBatches(deep({ memoryBudget: "100KiB" }));
  assert.deepEqual(fit.variants[0]!.options.map(({ batchSize }) => batchSize), [0, 0, 0, 0]);
  assert.match(
    renderFit(fit, { columns: null, color: false }),
    /do not fit, with recompute or accumulate\s+either; a single one takes [\d.]+ [KM]iB;/,
  );
  assert.ok(fit.variants[0]!.smallest! > fit.budget && fit.variants[0]!.smallest! < fit.variants[0]!.peak!);
});
