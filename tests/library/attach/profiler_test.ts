import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { attach, type AttachedDevice, type AttachOptions } from "@tacho/tacho/attach";
import { openDevice, type Plan, runPlanted } from "./planted.ts";

/** Records the planted program, and returns its device and values. */
async function record(plan: Plan, options: AttachOptions = {}): Promise<{ device: AttachedDevice; values: number[] }> {
  const device = await openDevice();
  try {
    await using profiler = attach(device, options);
    const values = await runPlanted(device, plan);
    const { devices } = await profiler.result();
    return { device: devices[0]!, values };
  } finally {
    device.destroy();
  }
}

Deno.test("the slow kernel comes first, and kernels without labels are named by their WGSL", async () => {
  const { device } = await record({ steps: 12 });
  deepStrictEqual(device.kernels.map(({ name }) => name.replace(/ #\w+$/, "")).toSorted(), [
    "main: map tanh",
    "quick",
    "slow",
  ]);
  deepStrictEqual(device.kernels.map(({ label, dispatches }) => [label, dispatches]).toSorted(), [
    ["", 12],
    ["quick", 24],
    ["slow", 12],
  ]);
  if (device.timestamps === "none") return;
  strictEqual(device.kernels[0]!.label, "slow");
  const quick = device.kernels.find(({ label }) => label === "quick")!;
  strictEqual(quick.perStep, 2);
  deepStrictEqual(quick.grids.map(({ grid }) => grid).toSorted(), [[1, 1, 1], [16, 1, 1]]);
});

Deno.test("extra reads, uploads, leaks and pipelines in steps are counted exactly", async () => {
  const { device } = await record({ steps: 14, reads: [7, 7, 12], uploads: [5], leaks: [6, 9, 9], pipelines: [11] });
  const { steps } = device.steps;
  strictEqual(steps.length, 14);
  deepStrictEqual(steps.map(({ totals }) => totals.reads), [1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 2, 1]);
  deepStrictEqual(steps.map(({ totals }) => totals.uploads), [1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
  deepStrictEqual(device.memory!.leaks.map(({ label, count, bytes }) => [label, count, bytes]), [[
    "forgotten",
    3,
    768,
  ]]);
  deepStrictEqual(device.pipelines.filter(({ inSteadyStep }) => inSteadyStep).map(({ step }) => step), [11]);
  deepStrictEqual([device.perStep!.reads, device.perStep!.uploads, device.perStep!.uploadBytes], [1, 1, 4096]);
  ok(device.totals.createMs > 0);
  strictEqual(steps[0]!.warmUp, true);
  strictEqual(steps.filter(({ warmUp }) => warmUp).length, 1);
});

Deno.test("what is planted in 100 steps is counted exactly in each", async () => {
  const every = (n: number) => Array.from({ length: 102 }, (_, i) => i).filter((i) => i >= 2 && i % n === 0);
  const [reads, uploads, leaks, pipelines] = [every(2), every(3), every(5), every(7)];
  const { device } = await record({ steps: 102, reads, uploads, leaks, pipelines });
  const { steps } = device.steps;
  strictEqual(steps.length, 102);
  const counted = (planted: readonly number[]) => steps.map((_, i) => planted.includes(i) ? 2 : 1);
  deepStrictEqual(steps.map(({ totals }) => totals.reads), counted(reads));
  deepStrictEqual(steps.map(({ totals }) => totals.uploads), counted(uploads));
  deepStrictEqual(device.memory!.leaks.map(({ count }) => count), [leaks.length]);
  deepStrictEqual(device.pipelines.filter(({ inSteadyStep }) => inSteadyStep).map(({ step }) => step), pipelines);
  if (device.timestamps !== "none") strictEqual(device.kernels[0]!.label, "slow");
});

Deno.test("the account of a step adds up to its wall time, and explains it", async () => {
  const { device } = await record({ steps: 12 });
  if (device.account === null) return strictEqual(device.timestamps, "none");
  const { wall, kernels, idle, sum } = device.account;
  const parts = Object.values(idle).reduce((all, part) => all + part, kernels);
  ok(Math.abs(parts - wall) < 1e-6 * wall, `${parts} of ${wall} ms`);
  strictEqual(idle.unexplained, 0, "each step waits for its work");
  ok(kernels > 0 && kernels <= sum + 1e-9);
});

Deno.test("steps that the program tells replace found ones", async () => {
  let calls = 0;
  const device = await openDevice();
  await using profiler = attach(device);
  await runPlanted(device, { steps: 6, ended: () => ++calls % 2 === 0 && profiler.step() });
  const [found] = (await profiler.result()).devices;
  deepStrictEqual([found!.steps.by, found!.steps.steps.length], ["step", 3]);
  deepStrictEqual(found!.steps.steps.map(({ totals }) => totals.dispatches), [8, 8, 8]);
  device.destroy();
});

Deno.test("performance marks tell steps", async () => {
  let step = 0;
  const { device } = await record({ steps: 5, ended: () => performance.mark(`step ${step++}`) });
  deepStrictEqual([device.steps.by, device.steps.steps.length], ["mark", 4]);
  performance.clearMarks();
});

Deno.test("without repetition there are no steps, and the whole run is reported", async () => {
  const { device } = await record({ steps: 2 });
  deepStrictEqual([device.steps.by, device.steps.steps, device.perStep], ["none", [], null]);
  ok(device.steps.how.includes("--steps"));
  strictEqual(device.totals.dispatches, 8);
  if (device.timestamps !== "none") ok(device.account!.wall > 0 && device.kernels.length === 3);
});

Deno.test("a program computes the same when recorded, and without timing there are counts only", async () => {
  const device = await openDevice();
  const values = await runPlanted(device, { steps: 5 });
  device.destroy();
  const timed = await record({ steps: 5 }, { stack: true });
  const counted = await record({ steps: 5 }, { timing: false });
  deepStrictEqual([timed.values, counted.values], [values, values]);
  deepStrictEqual([counted.device.account, counted.device.timedWall], [null, null]);
  deepStrictEqual(counted.device.kernels.map(({ dispatches, calls, total }) => [dispatches, calls, total]), [
    [10, 0, null],
    [5, 0, null],
    [5, 0, null],
  ]);
  deepStrictEqual(counted.device.totals.dispatches, 20);
  ok(timed.device.kernels.every(({ line }) => line?.startsWith("planted.ts:")));
  strictEqual(timed.device.memory!.largest[0]!.line, "planted.ts:34");
});

Deno.test("WebGPU is as before after the last profiler", async () => {
  const before = Object.getOwnPropertyDescriptors(GPUQueue.prototype).submit.value as unknown;
  const [first, second] = [await openDevice(), await openDevice()];
  {
    await using _one = attach(first);
    await using _two = attach(second);
    throws(() => attach(first), /already attached/);
    ok(GPUQueue.prototype.submit !== before);
  }
  strictEqual(GPUQueue.prototype.submit, before);
  for (const device of [first, second]) device.destroy();
});

Deno.test("a result in between does not change which steps are timed", async () => {
  const device = await openDevice();
  await using profiler = attach(device, { steps: "wait" });
  await profiler.result();
  await runPlanted(device, { steps: 2 });
  const [recorded] = (await profiler.result()).devices;
  const timed = recorded!.timestamps === "none" ? ["untimed", "untimed"] : ["timed", "untimed"];
  deepStrictEqual(
    recorded!.steps.steps.filter(({ totals }) => totals.dispatches > 0).map(({ timing }) => timing),
    timed,
  );
  device.destroy();
});

Deno.test("wrong options are refused", async () => {
  const device = await openDevice();
  throws(() => attach(device, { steps: "often" }), /expected auto, wait, mark or submit:N, got "often"/);
  throws(() => attach(device, { budget: 0 }), /budget: expected a number in \(0, 1\], got 0/);
  device.destroy();
});

Deno.test("errors and the loss of the device are reported", async () => {
  const device = await openDevice();
  await using profiler = attach(device);
  device.createBuffer({ size: 4, usage: 0xffff });
  device.destroy();
  await device.lost;
  const [recorded] = (await profiler.result()).devices;
  strictEqual(recorded!.errors.length, 1);
  strictEqual(recorded!.errors[0]!.scoped, false);
  strictEqual(recorded!.lost?.reason, "destroyed");
});
