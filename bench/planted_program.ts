/**
 * A program without waits for `bench/versus.ts`: each step encodes and submits one kernel `--work N` times. The costs of
 * encoding and submitting are multiplied as well, so that a step takes N times as long and not only its kernels.
 *
 *     deno run -A bench/planted_program.ts --work 2
 *     deno run -A bench/planted_program.ts --turns 60   # how long such steps take, and others, in turns
 *
 * @module
 */
import { parseArgs } from "node:util";
import { median } from "../runtime/analysis/median.ts";
import { table } from "./simulation/markdown.ts";

/** Multiplications and additions of an invocation, and their number; some 10 ms of two cores. */
const [OPERATIONS, INVOCATIONS] = [4000, 64 * 256] as const;

/** Steps of a block that is timed in turns. */
const BLOCK = 5;

const { values: flags } = parseArgs({ options: { work: { type: "string", default: "1" }, turns: { type: "string" } } });
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice();
const buffer = device.createBuffer({ size: 4 * INVOCATIONS, usage: GPUBufferUsage.STORAGE });
const code = `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = x[id.x];
  for (var i = 0u; i < ${OPERATIONS}u; i++) { sum = sum * 0.999 + 0.001; }
  x[id.x] = sum;
}`;
const module = device.createShaderModule({ code });
const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [{ binding: 0, resource: { buffer } }],
});
if (flags.turns !== undefined) timeSteps(Number(flags.turns));
else {
  const work = Number(flags.work);
  while (true) {
    for (let i = 0; i < work; i++) submit(1);
    performance.mark("step");
    performance.clearMarks();
  }
}

function submit(dispatches: number): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  for (let i = 0; i < dispatches; i++) pass.dispatchWorkgroups(INVOCATIONS / 64);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** Times blocks of several kinds of steps in turns, and prints the medians. */
function timeSteps(turns: number): void {
  const kinds = [
    { name: "an empty pass", step: () => submit(0), times: [] as number[] },
    { name: "one kernel", step: () => submit(1), times: [] as number[] },
    { name: "two dispatches in one submit", step: () => submit(2), times: [] as number[] },
    { name: "two encoders and submits", step: () => [submit(1), submit(1)], times: [] as number[] },
  ];
  for (let turn = 0; turn < turns; turn++) {
    for (let i = 0; i < kinds.length; i++) {
      const { step, times } = kinds[turn % 2 ? kinds.length - 1 - i : i]!;
      const begin = performance.now();
      for (let j = 0; j < BLOCK; j++) step();
      void device.queue.onSubmittedWorkDone(); // returns once the device is done
      times.push((performance.now() - begin) / BLOCK);
    }
  }
  const one = kinds[1]!.times;
  console.log(table(
    ["step", "ms per step", "times the step of one kernel"],
    kinds.map(({ name, times }) => [
      name,
      median(times).toFixed(2),
      median(times.map((time, i) => time / one[i]!)).toFixed(3),
    ]),
  ));
}
