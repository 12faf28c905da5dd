/**
 * Compiles the plans of the test models with Tint, and runs a training step of one on Dawn's null backend. Prints the
 * refusals as JSON; exits with status 3 where Dawn cannot be loaded.
 *
 * @module
 */
import type { Plan } from "../../runtime/compile/plan.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import type { DataSpec } from "../../runtime/data/sources/sources.ts";
import { syntheticImages } from "../../runtime/data/sources/synthetic_images.ts";
import * as t from "../../runtime/data/transforms/factories.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";
import type { ModelCase } from "../models/case.ts";
import { CASES } from "../models/cases.ts";
import { lenet } from "../models/lenet.ts";
import { classified, measured } from "../trainer/models.ts";
import { openNullDevice, type Refusal, refusals } from "./validate.ts";

export interface Report {
  readonly kernels: number;
  readonly withSubgroups: number;
  readonly refused: readonly Refusal[];
}

const device = await openNullDevice().catch((error: unknown) => {
  console.error(String(error));
  Deno.exit(3);
});
const kernels = new Map<string, KernelSpec>();
for (const one of CASES) {
  for (const amp of ["O0", "O2"] as const) {
    for (const traits of adapters()) for (const kernel of kernelsOf(compiled(one, amp, traits).plan)) keep(kernel);
  }
}
const onDevice = syntheticImages({
  height: 28,
  width: 28,
  channels: 1,
  classes: 10,
  length: 64,
  placement: "device",
  transforms: [t.randomCrop(28, { padding: 2 }), t.normalize({ mean: [0.1], std: [0.3] })],
});
for (const traits of adapters()) {
  for (const kernel of kernelsOf(compiled(lenet, "O0", traits, onDevice).plan)) keep(kernel);
}
const first = compiled(lenet, "O0", device.traits);
const slots = new SlotPool(device);
slots.reserve(first.plan.slots);
const session = await Session.create(device, slots, first, { seed: 1, label: "null device" });
session.runOnce();
const refused = [...await refusals(device, recorded())];
await device.settle().catch((error: Error) => refused.push({ kernel: "a training step", message: error.message }));
const withSubgroups = [...kernels.values()].filter(({ wgsl }) => wgsl.includes("subgroupBroadcast")).length;
const report: Report = { kernels: kernels.size, withSubgroups, refused };
console.log(JSON.stringify(report));
Deno.exit(0);

function* recorded() {
  for (const { uniforms, ...kernel } of kernels.values()) yield { ...kernel, hasUniforms: uniforms !== null };
}

function keep(kernel: KernelSpec): void {
  kernels.set(kernel.wgsl, kernel);
}

function kernelsOf(plan: Plan): KernelSpec[] {
  return plan.segments.flatMap(({ dispatches }) => dispatches.map(({ kernel }) => kernel));
}

function adapters(): DeviceTraits[] {
  const subgroups = { cpu: [null, 8], gpu: [null, 32] } as const;
  return (["cpu", "gpu"] as const).flatMap((kind) =>
    subgroups[kind].map((subgroupSize) => ({ ...DEFAULT_TRAITS, class: kind, subgroupSize }))
  );
}

function dataOf({ batchSize, input, target }: ModelCase): DataSpec {
  return "classes" in target
    ? classified([...input], target.classes, batchSize)
    : measured(input[0]!, target.features, batchSize);
}

function compiled(test: ModelCase, amp: "O0" | "O2", traits: DeviceTraits, data: DataSpec = dataOf(test)) {
  const { model, batchSize, loss, optimizer } = test;
  const { config } = resolveScenario({
    name: "tint",
    model,
    loss: loss.spec,
    optimizer: optimizer.spec,
    data,
    amp,
    loader: { batchSize },
  }).variants[0]!;
  return compileVariant(config, describeDataset(config.data), traits);
}
