import assert from "node:assert/strict";
import { crossEntropy, linear, mlp, sgd, syntheticImages, transforms as t, z } from "../../mod.ts";
import { FIRST_TOLERANCE, type LossTolerance, TOLERANCES } from "../../runtime/analysis/comparison/losses.ts";
import { toleranceOf } from "../../runtime/experiment/tolerance.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";

const images = () =>
  syntheticImages({ height: 8, width: 8, classes: 4, length: 64, transforms: [t.normalize("cifar10")] });

const base = {
  name: "tolerances",
  params: { width: z.coerce.number().default(8) },
  model: ({ width }: { width: number }) => mlp({ hidden: [width], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: images,
};

/** Returns the tolerance of a variant with these settings. */
function limits(settings: Record<string, unknown>, own: number | null = null): LossTolerance | null {
  const { variants } = resolveScenario({ ...base, variants: { baseline: {}, tested: settings } });
  return toleranceOf(variants[1]!, variants[0]!, own);
}

function tolerance(settings: Record<string, unknown>, own: number | null = null): number | null {
  return limits(settings, own)?.smoothed ?? null;
}

Deno.test("the first losses are compared unless the precision changes", () => {
  for (const settings of [{ sink: 5 }, { compile: { fusion: false } }, { loader: { numWorkers: 2 } }]) {
    assert.equal(limits(settings)!.first, FIRST_TOLERANCE);
  }
  assert.equal(limits({ amp: "O2", compile: { fusion: false } })!.first, null);
  assert.deepEqual(limits({ sink: 5 }, 0.5), { smoothed: 0.5, first: null }, "the scenario's own replaces both");
});

Deno.test("settings that should not change the training have the tolerance of their kind", () => {
  for (const settings of [{ sink: 5 }, { loader: { numWorkers: 2, prefetch: 4 } }, { monitor: "step" }]) {
    assert.equal(tolerance(settings), TOLERANCES.feed);
  }
  assert.equal(tolerance({ data: { placement: "device" } }), TOLERANCES.feed);
  assert.equal(tolerance({ compile: { fusion: false } }), TOLERANCES.kernels);
  assert.equal(tolerance({ amp: "O2" }), TOLERANCES.precision);
  assert.equal(tolerance({ amp: "O2", sink: 5, compile: { fusion: false } }), TOLERANCES.precision, "the widest");
  assert.equal(tolerance({ amp: "O2" }, 0.5), 0.5, "the scenario's own");
});

Deno.test("a variant that trains something else has no tolerance", () => {
  for (
    const settings of [
      { model: linear(4) },
      { params: { width: 16 } },
      { optimizer: { learningRate: 0.2 } },
      { loss: { labelSmoothing: 0.1 } },
      { data: { length: 128 } },
      { data: { transforms: [] } },
      { loader: { batchSize: 16 } },
      { loader: { shuffle: false } },
      { mode: "infer" },
      { amp: "O2", loader: { batchSize: 16 } },
    ]
  ) {
    assert.equal(tolerance(settings), null, JSON.stringify(settings));
    assert.equal(tolerance(settings, 0.5), null);
  }
});
