import { deepEqual, equal, match } from "node:assert/strict";
import { dryRun } from "../../runtime/experiment/run_experiment.ts";
import { residentBytes } from "../../runtime/compile/budget.ts";
import { planAll, planControlArm, residents } from "../../runtime/experiment/planning.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import mlp from "../../scripts/mlp.ts";
import resnet from "../../scripts/resnet.ts";
import { testDevice } from "../support/evaluate.ts";

const NO_LIMIT = { bytes: null, source: "no limit" };

Deno.test("a dry run opens no device and plans as a run does", async () => {
  const scenario = resolveScenario(resnet);
  const request = GPUAdapter.prototype.requestDevice;
  let opened = 0;
  GPUAdapter.prototype.requestDevice = function (this: GPUAdapter, ...args: Parameters<typeof request>) {
    opened++;
    return request.apply(this, args);
  };
  const dry = await dryRun(scenario).finally(() => GPUAdapter.prototype.requestDevice = request);
  equal(opened, 0);
  const device = await testDevice();
  const planned = planAll(scenario, { traits: device.traits, adapterName: device.info.name, memory: NO_LIMIT });
  for (const [i, variant] of dry.variants.entries()) {
    equal(variant.error, null);
    equal(variant.memory!.peak, planned[i]!.compiled!.memory.peak, variant.name);
  }
  const second = planControlArm(scenario, planned, device.traits)!;
  deepEqual(dry.resident, { bytes: residentBytes(residents([...planned, second])), secondArm: true });
});

Deno.test("a dry run obeys the memory budget, for each variant and for all together", async () => {
  const scenario = resolveScenario(resnet, { variants: ["baseline", "sink"] });
  const { variants, resident, error } = await dryRun({ ...scenario, memoryBudget: 2 ** 40 });
  equal(error, null);
  const bytes = resident!.bytes;
  const tight = await dryRun({ ...scenario, memoryBudget: bytes - 1 });
  match(tight.error!, /^3 variants together need .* of device memory, more than the memoryBudget/);
  deepEqual(tight.variants.map(({ error }) => error), [null, null]);
  const one = await dryRun({ ...scenario, memoryBudget: variants[1]!.memory!.peak - 1 });
  equal(one.variants[0]!.error, null);
  match(one.variants[1]!.error!, /^variant "sink" needs \d+ MiB of device memory, more than the memoryBudget/);
});

Deno.test("a dry run plans the part of one of several ranks, and says whether the batch can be divided", async () => {
  const scenario = resolveScenario(mlp, { variants: ["baseline"], overrides: ["loader.batchSize=12"] });
  const [{ config, ...variant }] = scenario.variants as [typeof scenario.variants[0] & object];
  const distribute = { bucket: 1024, overlap: false, compress: null };
  const both = {
    ...scenario,
    variants: [{ config, ...variant }, { ...variant, name: "ranks", config: { ...config, distribute } }],
  };
  const { ranks, variants: [whole, part] } = await dryRun(both, { ranks: 3 });
  equal(ranks, 3);
  deepEqual([whole, part].map((each) => each!.inputShape![0]), [12, 4]);
  equal(part!.flops!["forward"], whole!.flops!["forward"]! / 3);
  equal(part!.memory!.gradients - whole!.memory!.gradients, 4 * part!.parameters!); // the copy that the ranks exchange
  match((await dryRun(both, { ranks: 5 })).variants[1]!.error!, /each of the 5 ranks needs an equal part/);
});
