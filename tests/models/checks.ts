/**
 * Checks of whole models against the reference, and of settings that must not change a training.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Device } from "../../runtime/device/device.ts";
import type { ModelCase } from "./case.ts";
import { full, fullTest } from "../support/full.ts";
import { withKernels } from "../support/with_kernels.ts";
import { compare, lossesOf } from "./training.ts";

const VARIANTS = {
  nchw: { settings: { compile: { layout: "nchw" } }, tolerance: 1e-5 },
  tiled: { settings: { compile: { attention: "tiled" } }, tolerance: 1e-5 },
  unfused: { settings: { compile: { fusion: false } }, tolerance: 1e-5 },
  composed: { settings: { compile: { attention: "composed" } }, tolerance: 1e-5 },
  amp: { settings: { amp: { level: "O2", scaler: { dynamic: false, init: 1024 } } }, tolerance: 0.02 },
} as const;

/**
 * Declares tests that train each case for ten steps; in the fast set, all but the first for few.
 *
 * @param check compares a training of ten steps, or few, with the reference
 * @param others cases that also train for few steps with the kernels for the other class of adapter
 */
export function testTrainings(
  cases: readonly ModelCase[],
  check = checkTraining,
  others = full ? cases : cases.slice(0, 1),
): void {
  cases.forEach((test, i) => {
    const few = !full && i > 0;
    const title = `${test.name}: ${few ? "a few" : "ten"} training steps match the reference in double precision`;
    Deno.test(title, () => check(test, few));
  });
  if (others.length === 0) return;
  Deno.test("kernels for the other class of adapter train the same", async (t) => {
    const device = await Device.open();
    const other = device.traits.class === "cpu" ? "gpu" : "cpu";
    device.destroy();
    await withKernels(other, async () => {
      for (const test of others) {
        await t.step(`${test.name}, ${other}`, () => check(test, true));
      }
    });
  });
}

/** Declares a test of the full set that compares a case's losses under some settings with those under none. */
export function testVariants(test: ModelCase, variants: readonly (keyof typeof VARIANTS)[]): void {
  fullTest(`${test.name}: losses are the same, or close, with ${variants.join(", ")}`, async () => {
    const plain = await lossesOf(test, {});
    for (const name of variants) {
      const { settings, tolerance } = VARIANTS[name];
      const losses = await lossesOf(test, settings);
      const errors = losses.map((loss, i) => Math.abs(loss - plain[i]!) / plain[i]!);
      assert.ok(Math.max(...errors) <= tolerance, `${name}: ${losses}, expected ${plain}`);
    }
  });
}

async function checkTraining(test: ModelCase, few?: boolean): Promise<void> {
  const { losses, allGradients, parameters, running, inference } = await compare(test, few);
  assert.ok(losses <= 1e-5, `losses differ by ${losses}`);
  assert.ok(allGradients <= 1e-4, `gradients of the first step differ by ${allGradients} of their norm`);
  assert.ok(parameters <= test.tolerance, `parameters differ by ${parameters}`);
  assert.ok(running <= test.tolerance, `running statistics differ by ${running}`);
  assert.ok(inference <= test.tolerance, `outputs in inference differ by ${inference}`);
}
