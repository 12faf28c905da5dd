/**
 * An MLP in TypeGPU, trained by SGD: its typed buffers, layouts and pipelines, with functions written in WGSL. Every
 * invocation owns one output, so the sums have one order and the losses are the same in every run.
 */
import tgpu from "typegpu";
import * as d from "typegpu/data";
import { trainSteps } from "./steps.ts";

const BATCH = 32;
const INPUTS = 24;
const HIDDEN = 48;
const RATE = 0.05;

/** Losses that are kept on the device, one per step in turns. */
const LOSSES = 64;

const root = await tgpu.init();
root.device.addEventListener("uncapturederror", (event) => {
  throw (event as GPUUncapturedErrorEvent).error;
});
const layout = tgpu.bindGroupLayout({
  x: { storage: d.arrayOf(d.f32), access: "readonly" },
  y: { storage: d.arrayOf(d.f32), access: "readonly" },
  first: { storage: d.arrayOf(d.f32), access: "mutable" },
  second: { storage: d.arrayOf(d.f32), access: "mutable" },
  hidden: { storage: d.arrayOf(d.f32), access: "mutable" },
  error: { storage: d.arrayOf(d.f32), access: "mutable" },
  losses: { storage: d.arrayOf(d.f32), access: "mutable" },
  step: { uniform: d.u32 },
});

let state = 5;
const random = () => ((state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32) - 0.5;
const floats = (length: number, value: () => number) => {
  const array = Array.from({ length }, value);
  return root.createBuffer(d.arrayOf(d.f32, length), array).$usage("storage");
};
const losses = floats(LOSSES, () => 0);
const step = root.createBuffer(d.u32, 0).$usage("uniform");
const group = root.createBindGroup(layout, {
  x: floats(BATCH * INPUTS, random),
  y: floats(BATCH, random),
  first: floats(INPUTS * HIDDEN, random),
  second: floats(HIDDEN, random),
  hidden: floats(BATCH * HIDDEN, () => 0),
  error: floats(BATCH, () => 0),
  losses,
  step,
});

const forward = kernel(
  BATCH * HIDDEN,
  `
  let b = id / ${HIDDEN}u;
  let h = id % ${HIDDEN}u;
  var sum = 0.0;
  for (var i = 0u; i < ${INPUTS}u; i++) { sum += layout.$.x[b * ${INPUTS}u + i] * layout.$.first[i * ${HIDDEN}u + h]; }
  layout.$.hidden[id] = max(sum, 0.0);`,
);
const output = kernel(
  BATCH,
  `
  var sum = 0.0;
  for (var h = 0u; h < ${HIDDEN}u; h++) { sum += layout.$.hidden[id * ${HIDDEN}u + h] * layout.$.second[h]; }
  layout.$.error[id] = sum - layout.$.y[id];`,
);
const loss = kernel(
  1,
  `
  var sum = 0.0;
  for (var b = 0u; b < ${BATCH}u; b++) { sum += layout.$.error[b] * layout.$.error[b]; }
  layout.$.losses[layout.$.step % ${LOSSES}u] = sum / ${BATCH}.0;`,
);
const updateFirst = kernel(
  INPUTS * HIDDEN,
  `
  let i = id / ${HIDDEN}u;
  let h = id % ${HIDDEN}u;
  var sum = 0.0;
  for (var b = 0u; b < ${BATCH}u; b++) {
    if (layout.$.hidden[b * ${HIDDEN}u + h] > 0.0) { sum += layout.$.error[b] * layout.$.x[b * ${INPUTS}u + i]; }
  }
  layout.$.first[id] -= ${2 * RATE / BATCH} * layout.$.second[h] * sum;`,
);
const updateSecond = kernel(
  HIDDEN,
  `
  var sum = 0.0;
  for (var b = 0u; b < ${BATCH}u; b++) { sum += layout.$.error[b] * layout.$.hidden[b * ${HIDDEN}u + id]; }
  layout.$.second[id] -= ${2 * RATE / BATCH} * sum;`,
);

await trainSteps(
  (i) => {
    step.write(i);
    for (const run of [forward, output, loss, updateFirst, updateSecond]) run();
    return i % LOSSES;
  },
  async (i) => (await losses.read())[i]!,
);

/** Makes a pipeline of a WGSL body that computes value `id` of `count`; returns a function that dispatches it. */
function kernel(count: number, body: string): () => void {
  const code = `{ let id = in.global.x; if (id >= ${count}u) { return; } ${body} }`;
  const compute = tgpu.computeFn({ in: { global: d.builtin.globalInvocationId }, workgroupSize: [64] })(code)
    .$uses({ layout });
  const pipeline = root.createComputePipeline({ compute }).with(group);
  return () => pipeline.dispatchWorkgroups(Math.ceil(count / 64));
}
