import assert from "node:assert/strict";
import { requireAdapter } from "../../runtime/device/adapter.ts";
import { Device } from "../../runtime/device/device.ts";
import { usesSubgroups, withSubgroupDirective } from "../../runtime/device/subgroups.ts";

/** Opens a device where each adapter opens one only; returns the features of each request and of the device. */
async function open(refuses: readonly string[] = []): Promise<{ requests: string[][]; features: readonly string[] }> {
  const { requestDevice } = GPUAdapter.prototype;
  const consumed = new WeakSet<GPUAdapter>();
  const requests: string[][] = [];
  GPUAdapter.prototype.requestDevice = function (this: GPUAdapter, ...args: Parameters<typeof requestDevice>) {
    if (consumed.has(this)) return Promise.reject(new DOMException("The adapter is consumed", "InvalidStateError"));
    consumed.add(this);
    const features = [...args[0]?.requiredFeatures ?? []];
    requests.push(features);
    if (features.some((feature) => refuses.includes(feature))) return Promise.reject(new TypeError("unsupported"));
    return requestDevice.apply(this, args);
  };
  try {
    const device = await Device.open();
    device.destroy();
    return { requests, features: device.info.features };
  } finally {
    GPUAdapter.prototype.requestDevice = requestDevice;
  }
}

Deno.test("a device with subgroups takes one request", async () => {
  const { requests, features } = await open();
  assert.equal(requests.length, 1);
  assert.deepEqual([...requests[0]!].sort(), features);
  assert.ok(features.includes("subgroups"));
});

Deno.test("where subgroups are refused, another adapter opens a device without them", async () => {
  const { requests: [first, ...others], features } = await open(["subgroups"]);
  assert.deepEqual(others, [first!.filter((feature) => feature !== "subgroups")]);
  assert.deepEqual(features, [...others[0]!].sort());
});

Deno.test("an adapter that was found can still open a device", async () => {
  const { adapter, info } = await requireAdapter();
  const device = await adapter.requestDevice();
  device.destroy();
  assert.ok(info.features.includes("subgroups"));
});

/** A device whose compiler accepts the directive or does not. */
function compiler(accepts: boolean): { gpu: GPUDevice; compiled: string[] } {
  const compiled: string[] = [];
  const gpu = {
    pushErrorScope: () => {},
    createShaderModule: ({ code }: { code: string }) => compiled.push(code),
    popErrorScope: () => Promise.resolve(accepts ? null : { message: "unknown extension" }),
  };
  return { gpu: gpu as unknown as GPUDevice, compiled };
}

Deno.test("kernels with subgroups enable them where the compiler accepts the directive, and it is asked once", async () => {
  const broadcast = "fn f(x: f32) -> f32 { return subgroupBroadcast(x, 0u); }";
  const plain = "fn f(x: f32) -> f32 { return x; }";
  for (const accepts of [true, false]) {
    const { gpu, compiled } = compiler(accepts);
    const written = accepts ? `enable subgroups;\n${broadcast}` : broadcast;
    assert.equal(await withSubgroupDirective(gpu, plain), plain);
    assert.deepEqual(compiled, []);
    for (let i = 0; i < 3; i++) assert.equal(await withSubgroupDirective(gpu, broadcast), written);
    assert.deepEqual(compiled, ["enable subgroups;\n"]);
  }
});

Deno.test("subgroup and quad functions and subgroup builtins need the directive, names that resemble them do not", () => {
  for (const code of ["subgroupAdd(x)", "quadBroadcast (x, 1u)", "@builtin(subgroup_size) size: u32"]) {
    assert.ok(usesSubgroups(code), code);
  }
  for (const code of ["let subgroupLanes = 4;", "quadrant(x)", "// subgroup_size"]) {
    assert.ok(!usesSubgroups(code), code);
  }
});
