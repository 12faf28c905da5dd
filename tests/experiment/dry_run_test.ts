import { deepEqual, equal } from "node:assert/strict";
import { dryRun } from "../../runtime/experiment/run_experiment.ts";
import { residentBytes } from "../../runtime/compile/budget.ts";
import { planAll, residents } from "../../runtime/experiment/planning.ts";
import { planControlArm } from "../../runtime/experiment/rounds/control_arm.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import resnet from "../../scripts/resnet.ts";
import { testDevice } from "../support/evaluate.ts";

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
  const planned = planAll(scenario, device.traits, device.info.name);
  for (const [i, variant] of dry.variants.entries()) {
    equal(variant.error, null);
    equal(variant.memory!.peak, planned[i]!.compiled!.memory.peak, variant.name);
  }
  const second = planControlArm(scenario, planned, device.traits)!;
  deepEqual(dry.resident, { bytes: residentBytes(residents([...planned, second])), secondArm: true });
});
