import assert from "node:assert/strict";
import { bottleneckOf } from "../../../runtime/analysis/bottleneck/bottleneck.ts";
import { readAblations, readShares } from "../../../runtime/analysis/bottleneck/by_ablations.ts";
import { sharesOf } from "../../../runtime/analysis/bottleneck/shares.ts";
import { bottleneckSchema, type StepBound } from "../../../runtime/result/bottleneck.ts";
import { variant } from "../../report/result_fixture.ts";
import { simulateAblations, type SimulatedStep } from "./simulated_ablations.ts";

/** Steps by what bounds them. */
const CASES: readonly (readonly [StepBound, string, SimulatedStep])[] = [
  ["input", "batches are made between steps", { input: 60, copy: 1, host: 5, kernels: 8, launch: 1 }],
  ["input", "a worker is slow", { input: 40, copy: 1, host: 2, kernels: 6, launch: 1, workers: true }],
  ["transfer", "large batches", { input: 2, copy: 40, host: 3, kernels: 6, launch: 1 }],
  ["host", "each loss is read", { input: 0.2, copy: 0.1, host: 12, kernels: 1, launch: 2 }],
  ["host", "and workers keep up", { input: 1, copy: 0.1, host: 12, kernels: 2, launch: 1, workers: true }],
  ["device", "heavy kernels", { input: 5, copy: 1, host: 2, kernels: 100, launch: 5 }],
  ["device", "and a busy worker", { input: 40, copy: 1, host: 2, kernels: 100, launch: 5, workers: true }],
  ["device", "launches alone", { input: 0.2, copy: 0.1, host: 1, kernels: 2, launch: 9 }],
  ["none", "input and device in turns", { input: 30, copy: 1, host: 2, kernels: 28, launch: 1 }],
  ["none", "input and device at once", { input: 30, copy: 1, host: 2, kernels: 26, launch: 1, workers: true }],
  ["none", "all three in turns", { input: 12, copy: 0.1, host: 12, kernels: 6, launch: 2 }],
];

for (const [bound, what, step] of CASES) {
  Deno.test(`${bound}: ${what}`, () => assert.equal(readAblations(simulateAblations(step)).bound, bound));
}

// Each block independently takes up to twice as long: more than was seen of a machine with two busy cores
Deno.test("noise does not change a clear bound", () => {
  for (const [bound, what, step] of CASES.filter(([bound, what]) => bound !== "none" || what.includes("three"))) {
    for (let seed = 0; seed < 200; seed++) {
      const { bound: found, reason } = readAblations(simulateAblations(step, { noise: 2, seed }));
      assert.equal(found, bound, `${what}, seed ${seed}: ${reason}`);
    }
  }
});

Deno.test("parts that run in sequence share the step", () => {
  const shares = sharesOf(simulateAblations({ input: 20, copy: 10, host: 30, kernels: 35, launch: 5 }));
  const close = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-9, `${value}`);
  close(shares.input, 0.2);
  close(shares.transfer, 0.1);
  close(shares.host, 0.3);
  close(shares.device, 0.4);
});

Deno.test("the share of a host hidden behind the loader is limited by the loader", () => {
  const { host } = sharesOf(simulateAblations({ input: 20, copy: 0, host: 18, kernels: 2, launch: 0, workers: true }));
  assert.equal(host, 0);
});

Deno.test("the share of input is limited by the loop's wait, unless workers free cores", () => {
  const measured = simulateAblations({ input: 1, copy: 1, host: 10, kernels: 80, launch: 8, workers: true });
  const faster = measured.ablations.get("synthetic input")!.map((block) => ({ ...block, batchCost: 40, device: 38 }));
  const spared = { ...measured, ablations: new Map([...measured.ablations, ["synthetic input", faster] as const]) };
  assert.ok(sharesOf(spared).input < 0.02);
  assert.ok(sharesOf({ ...spared, contended: true }).input + sharesOf({ ...spared, contended: true }).transfer > 0.5);
});

Deno.test("in a sink the share of input is the time saved without it", () => {
  const measured = simulateAblations({ input: 60, copy: 1, host: 1, kernels: 30, launch: 1, workers: true });
  assert.equal(readAblations({ ...measured, overlapped: true }).bound, "none", "30 of 61 ms");
  const slower = simulateAblations({ input: 90, copy: 1, host: 1, kernels: 30, launch: 1, workers: true });
  assert.equal(readAblations({ ...slower, overlapped: true }).bound, "input");
});

Deno.test("ablations give a bound without timestamps", () => {
  const step = { input: 0.2, copy: 0.1, host: 12, kernels: 1, launch: 2 };
  assert.equal(readAblations(simulateAblations({ ...step, untimed: true })).bound, "host");
});

Deno.test("a round without an ablation is skipped, and a burst does not decide", () => {
  const measured = simulateAblations({ input: 60, copy: 1, host: 5, kernels: 8, launch: 1 });
  const synthetic = measured.ablations.get("synthetic input")!;
  const disturbed = synthetic.slice(1).map((block, i) => i === 0 ? { ...block, batchCost: 5000 } : block);
  assert.equal(
    readAblations({ ...measured, ablations: new Map([...measured.ablations, ["synthetic input", disturbed]]) }).bound,
    "input",
  );
});

Deno.test("the reason gives the share of each part", () => {
  assert.equal(
    readShares({ input: 0.9, transfer: 0.01, host: 0.05, device: 0.04 }).reason,
    "attributed: input 90 %, host 5.0 %, device 4.0 %, transfer 1.0 %",
  );
  assert.match(readShares({ input: 0.1, transfer: 0, host: 0, device: 0.15 }).reason, /^parts overlap/);
  assert.match(readShares({ input: 0.45, transfer: 0, host: 0.1, device: 0.45 }).reason, /^no part dominates/);
});

Deno.test("the record has every ablation with its paired ratio and interval", () => {
  const measured = simulateAblations({ input: 60, copy: 1, host: 5, kernels: 8, launch: 1 }, { noise: 1.2 });
  const bottleneck = bottleneckSchema.parse(bottleneckOf(variant("baseline"), measured, null));
  assert.deepEqual(bottleneck.arms.map(({ name, rounds }) => [name, rounds]), [
    ["input only", 9],
    ["synthetic input", 9],
    ["no host waits", 9],
    ["null kernels", 9],
  ]);
  const { value, low, high } = bottleneck.arms[1]!.ratio;
  assert.ok(low! <= value && value <= high!);
  assert.ok(low! < 75 / 14 && 75 / 14 < high!, `${low} to ${high}`);
  assert.equal(bottleneck.device, null);
});
