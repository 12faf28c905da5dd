import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { resultSchema, scenario, tensors } from "../../../mod.ts";
import { runExperiment } from "../../../runtime/experiment/run_experiment.ts";
import { ablationSchedule } from "../../../runtime/experiment/ablations/ablations.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { images, lossBits, runVariants } from "../../trainer/feed/experiments.ts";

const NAMES = ["input only", "synthetic input", "no host waits", "null kernels"];

Deno.test("ablations do not change the losses of measured steps", async () => {
  const variants = {
    workers: { loader: { numWorkers: 1 } },
    sink: { sink: 2 },
    placed: { data: { placement: "device" } },
  } as const;
  const settings = { variants, measure: { steps: 4, skip: 2, rounds: 2, aa: false } };
  const apart = await runVariants(images({ ...settings, bottleneck: true }));
  const plain = await runVariants(images(settings));
  for (const [name, variant] of apart) {
    equal(variant.status, "ok", `${name}: ${variant.error?.message}`);
    const losses = [variant, plain.get(name)!].map(lossBits);
    const common = Math.min(...losses.map(({ length }) => length)); // warm-up ends when times are steady
    deepEqual(losses[0]!.slice(0, common), losses[1]!.slice(0, common), name);
    const { byArms, arms } = variant.bottleneck!;
    notEqual(byArms, null);
    equal(variant.bound, byArms!.bound, "the matrix follows the ablations");
    deepEqual(arms.map((arm) => arm.name), NAMES);
    for (const arm of arms) {
      ok(arm.batchCost > 0 && arm.rounds >= 5, `${name}, ${arm.name}: ${Deno.inspect(arm)}`);
      ok(arm.ratio.low! <= arm.ratio.value && arm.ratio.value <= arm.ratio.high!);
    }
    deepEqual(variant.counts, plain.get(name)!.counts, "submits, waits and readbacks are those of the measured blocks");
    equal(plain.get(name)!.bottleneck?.byArms ?? null, null, "ablations run only on request");
  }
});

Deno.test("a run interrupted during ablations keeps its measurements", async () => {
  const variants = await runVariants(
    images({ bottleneck: true, measure: { steps: 2, skip: 1, rounds: 2 } }),
    ({ message }) => message?.includes("ablations, round") ?? false,
  );
  const { blocks, bottleneck, status } = variants.get("baseline")!;
  equal(status, "interrupted");
  equal(blocks.length, 2);
  ok((bottleneck?.arms.length ?? 0) > 0, "the round that was whole");
});

Deno.test("a loader without a model has no ablations", async () => {
  const data = tensors({
    input: { shape: [3], data: new Float32Array(48) },
    target: { data: new Int32Array(16) },
  });
  const alone = scenario({ name: "loader", data, loader: { batchSize: 4 }, bottleneck: true });
  const result = resultSchema.parse(
    await runExperiment(resolveScenario(alone), {
      interrupted: () => false,
      script: { file: null, sha256: null },
      profile: null,
    }),
  );
  equal(result.variants[0]!.bottleneck, null);
});

Deno.test("blocks of ablations are long enough, and whole sinks", () => {
  equal(ablationSchedule(0.5, 1).steps, 40);
  equal(ablationSchedule(10, 1).steps, 12);
  equal(ablationSchedule(150, 1).steps, 2);
  equal(ablationSchedule(5000, 1).steps, 1);
  equal(ablationSchedule(10, 50).steps, 50);
  equal(ablationSchedule(1, 50).steps, 50);
  equal(ablationSchedule(0, 1).steps, 40);
});
