import { deepEqual, equal, ok } from "node:assert/strict";
import { install } from "../../runtime/attach/install.ts";
import { now } from "../../runtime/attach/native.ts";
import type { Realm } from "../../runtime/attach/realm.ts";
import type { AttachRecord, PassesRecord } from "../../runtime/attach/records.ts";
import { Registry } from "../../runtime/attach/registry.ts";
import { fullTest } from "../support/full.ts";

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;

/** Records a program where waits do not block, and returns the passes that were read before it ended, and the cuts. */
async function record(program: (device: GPUDevice) => Promise<void>) {
  const records: AttachRecord[] = [];
  const realm: Realm = {
    sink: { write: (record) => void records.push(record), flush: () => {} },
    now,
    waitsBlock: false,
  };
  const registry = new Registry();
  const settings = { steps: { by: "wait" }, stack: false, budget: 1, timing: true } as const;
  const patches = install(registry, { settings, realm });
  try {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter!.requestDevice();
    await program(device);
    device.destroy();
    registry.end(realm);
  } finally {
    patches.undo();
  }
  const of = <K extends AttachRecord["kind"]>(kind: K) =>
    records.filter((record): record is Extract<AttachRecord, { kind: K }> => record.kind === kind);
  return { passes: of("passes"), cuts: of("cut"), timestamps: of("device")[0]!.timestamps };
}

/** Returns a function that submits dispatches, and the buffer that they change. */
function worker(device: GPUDevice) {
  const buffer = device.createBuffer({ size: 256, usage: STORAGE | COPY_SRC });
  const code = "@group(0) @binding(0) var<storage, read_write> b: array<f32>;\n" +
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) { b[i.x] = b[i.x] + 1; }";
  const pipeline = device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer } }],
  });
  const submit = (dispatches: number, target?: GPUBuffer) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < dispatches; i++) pass.dispatchWorkgroups(1);
    pass.end();
    if (target !== undefined) encoder.copyBufferToBuffer(buffer, 0, target, 0, 4);
    device.queue.submit([encoder.finish()]);
  };
  return { submit };
}

function counted(passes: readonly PassesRecord[]) {
  const begins = passes.flatMap(({ begin }) => begin);
  return { passes: begins.length, usable: begins.filter((time) => time !== null).length };
}

Deno.test("the times of all timed runs arrive before the program goes on, which destroys its device after the last", async () => {
  const { passes, cuts, timestamps } = await record(async (device) => {
    const { submit } = worker(device);
    const target = device.createBuffer({ size: 4, usage: COPY_DST | MAP_READ });
    for (let run = 0; run < 12; run++) {
      submit(5, target);
      await target.mapAsync(GPUMapMode.READ);
      equal(new Float32Array(target.getMappedRange())[0], 5 * (run + 1));
      target.unmap();
    }
  });
  equal(cuts.filter(({ by }) => by === "wait").length, 12);
  if (timestamps === "none") return;
  const { passes: read, usable } = counted(passes);
  const submits = new Set(passes.flatMap(({ submit }) => submit));
  // Every other run is timed, from the first on: the eleventh is the last of them
  deepEqual([read, usable, submits.has(10)], [30, 30, true], `${[...submits]}`);
});

fullTest("25,000 dispatches in one task, without a wait, are all timed", async () => {
  const { passes, timestamps } = await record(async (device) => {
    const { submit } = worker(device);
    for (let i = 0; i < 25; i++) submit(1000);
    await device.queue.onSubmittedWorkDone();
  });
  if (timestamps === "none") return;
  const { passes: read, usable } = counted(passes);
  ok(read === 25_000 && usable > 24_000, `${read} read, ${usable} usable`);
  const order = passes.flatMap(({ submit }) => submit);
  deepEqual(order, order.toSorted((a, b) => a - b), "in the order of execution");
});

Deno.test("submits after the call of a wait stay pending when it ends, and the wait still ends a step", async () => {
  const { cuts } = await record(async (device) => {
    const { submit } = worker(device);
    submit(1);
    const wait = device.queue.onSubmittedWorkDone();
    submit(1);
    await wait;
    await device.queue.onSubmittedWorkDone();
  });
  deepEqual(cuts.filter(({ by }) => by === "wait").map(({ pending }) => pending), [1, 0]);
});
