import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { deviceEvent, elapsed, InputError } from "../../mod.ts";
import { DeviceError } from "../../runtime/core/errors.ts";
import { requireAdapter } from "../../runtime/device/adapter.ts";
import { countWaits } from "../support/count_waits.ts";

/** A device opened without Tacho, with a kernel that runs for any number of iterations. */
async function ownDevice(features: GPUFeatureName[] = ["timestamp-query"]) {
  const { adapter } = await requireAdapter({ probe: false });
  const device = await adapter.requestDevice({ requiredFeatures: features });
  const module = device.createShaderModule({
    code: `@group(0) @binding(0) var<storage, read_write> state: array<u32>;
@group(0) @binding(1) var<uniform> iterations: u32;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var x = state[id.x];
  for (var i = 0u; i < iterations; i++) { x = x * 1664525u + 1013904223u; }
  state[id.x] = x;
}`,
  });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const state = device.createBuffer({ size: 4096, usage: GPUBufferUsage.STORAGE });
  const groupOf = (iterations: number) => {
    const uniform = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(uniform, 0, new Uint32Array([iterations]));
    const entries = [state, uniform].map((buffer, binding) => ({ binding, resource: { buffer } }));
    return device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  };
  return {
    device,
    /** Returns a function that encodes a kernel of this many iterations. */
    kernel: (iterations: number) => {
      const group = groupOf(iterations);
      return (encoder: GPUCommandEncoder) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(16);
        pass.end();
      };
    },
    submit: (encode: (encoder: GPUCommandEncoder) => void) => {
      const encoder = device.createCommandEncoder();
      encode(encoder);
      device.queue.submit([encoder.finish()]);
    },
    [Symbol.dispose]: () => device.destroy(),
  };
}

const least = (times: readonly number[]) => Math.min(...times);

Deno.test("events around a kernel grow with its iterations and fit in the host's time", async () => {
  using own = await ownDevice();
  const { device, submit } = own;
  const times = { short: [] as number[], long: [] as number[] };
  const kernels = { short: own.kernel(100), long: own.kernel(200_000) };
  submit(kernels.short); // compiles
  for (let i = 0; i < 5; i++) {
    for (const name of ["short", "long"] as const) {
      const start = performance.now();
      const begin = deviceEvent(device).record(device.queue);
      submit(kernels[name]);
      const end = deviceEvent(device).record(device.queue);
      await end.synchronize();
      const host = performance.now() - start;
      const time = await elapsed(begin, end);
      assert.ok(time > 0 && time <= host, `${time} ms on the device, ${host} ms on the host`);
      times[name].push(time);
    }
  }
  // Other load can delay each of the five, but hardly by a thousandth of the long kernel's work
  const [short, long] = [least(times.short), least(times.long)];
  assert.ok(long > 2 * short, `${short} ms for n iterations, ${long} ms for 2000n`);
});

Deno.test("times between events add up, and the order of the arguments gives the sign", async () => {
  using own = await ownDevice();
  const { device } = own;
  const kernel = own.kernel(1000);
  const [a, b, c] = [deviceEvent(device), deviceEvent(device), deviceEvent(device)];
  // In one encoder, around its passes
  own.submit((encoder) => {
    a.record(encoder);
    kernel(encoder);
    b.record(encoder);
    kernel(encoder);
    c.record(encoder);
  });
  const [ab, bc, ac, ba, aa] = await Promise.all(
    [[a, b], [b, c], [a, c], [b, a], [a, a]].map(([from, to]) => elapsed(from!, to!)),
  );
  assert.ok(ab! > 0 && bc! > 0);
  assert.ok(Math.abs(ab! + bc! - ac!) < 1e-6);
  assert.equal(ba, -ab!);
  assert.equal(aa, 0);
});

Deno.test("recording never waits, and events compared together are read once", async () => {
  using own = await ownDevice();
  const { device } = own;
  const first = deviceEvent(device).record(device.queue);
  await first.synchronize(); // calibrates the device's clock
  using waits = countWaits();
  const events = Array.from({ length: 40 }, () => {
    own.submit(own.kernel(10));
    return deviceEvent(device).record(device.queue);
  });
  await setImmediate();
  assert.deepEqual({ ...waits.counts }, { mapAsync: 0, onSubmittedWorkDone: 0 });
  assert.deepEqual([first.query(), events.some((event) => event.query())], [true, false]);
  const times = await Promise.all(events.slice(1).map((event, i) => elapsed(events[i]!, event)));
  assert.ok(times.every((time) => time > 0), times.join());
  assert.equal(waits.counts.mapAsync, 1);
  assert.ok(events.every((event) => event.query()));
  await elapsed(first, events.at(-1)!);
  assert.equal(waits.counts.mapAsync, 1, "known times are not read again");
});

Deno.test("thousands of events in submits of their own keep their order", async () => {
  using own = await ownDevice();
  const { device } = own;
  let last = deviceEvent(device).record(device.queue);
  for (const count of [1100, 200]) {
    const events = Array.from({ length: count }, () => deviceEvent(device));
    own.submit((encoder) => events.forEach((event) => event.record(encoder)));
    const times = await Promise.all(events.map((event, i) => elapsed(events[i - 1] ?? last, event)));
    assert.ok(times.every((time) => time >= 0));
    last = events.at(-1)!;
  }
});

Deno.test("an event in an encoder that was not submitted is reported, and works once it is", async () => {
  using own = await ownDevice();
  const { device } = own;
  // Uses a place again, which holds an old time
  const [earlier, event] = [deviceEvent(device), deviceEvent(device)];
  for (const _ of [1, 2]) {
    await earlier.record(device.queue).synchronize();
    const encoder = device.createCommandEncoder();
    event.record(encoder);
    await assert.rejects(() => elapsed(earlier, event), /Submit the encoder/);
    const others = Array.from({ length: 1100 }, () => deviceEvent(device));
    own.submit((encoder) => others.forEach((other) => other.record(encoder)));
    await others.at(-1)!.synchronize();
    assert.equal(event.query(), false);
    device.queue.submit([encoder.finish()]);
    assert.ok(await elapsed(others.at(-1)!, event) > 0);
  }
});

Deno.test("a second record replaces the first", async () => {
  using own = await ownDevice();
  const { device } = own;
  const [a, b] = [deviceEvent(device).record(device.queue), deviceEvent(device).record(device.queue)];
  const before = elapsed(a, b);
  a.record(device.queue);
  assert.equal(a.query(), false);
  assert.ok(await before > 0);
  assert.ok(await elapsed(a, b) < 0);
});

Deno.test("a device without timestamps is refused, or timed on the host's clock on request", async () => {
  using own = await ownDevice([]);
  const { device } = own;
  assert.throws(
    () => deviceEvent(device),
    (error) =>
      error instanceof DeviceError && /"timestamp-query"/.test(error.message) && /fallback: "host"/.test(error.message),
  );
  const host = () => deviceEvent(device, { fallback: "host" });
  const start = performance.now();
  const begin = host().record(device.queue);
  own.submit(own.kernel(4000));
  const end = host().record(device.queue);
  const all = performance.now() - start;
  const time = await elapsed(begin, end);
  assert.ok(time > 0 && time <= all);
  assert.deepEqual([begin.clock, end.query()], ["host", true]);
  assert.throws(() => host().record(device.createCommandEncoder()), /records events on its queue only/);
});

Deno.test("with timestamps, the fallback keeps the device's clock", async () => {
  using own = await ownDevice();
  assert.equal(deviceEvent(own.device, { fallback: "host" }).clock, "device");
});

Deno.test("misuse of events names the mistake", async () => {
  using own = await ownDevice();
  using other = await ownDevice();
  const { device } = own;
  const event = deviceEvent(device);
  const pass = device.createCommandEncoder().beginComputePass();
  const cases: [() => unknown, RegExp][] = [
    [() => event.record(other.device.queue), /belongs to another device/],
    [() => event.record(pass as unknown as GPUCommandEncoder), /got GPUComputePassEncoder/],
    [() => event.record(undefined as unknown as GPUQueue), /got undefined/],
    [() => deviceEvent(device, { fallback: "device" as "host" }), /fallback is "device", expected "host"/],
  ];
  for (const [call, message] of cases) {
    assert.throws(call, (error) => error instanceof InputError && message.test(error.message), String(message));
  }
  await assert.rejects(() => event.synchronize(), /was not recorded/);
  event.record(device.queue);
  const there = deviceEvent(other.device).record(other.device.queue);
  await assert.rejects(() => elapsed(event, there), /different devices/);
});
