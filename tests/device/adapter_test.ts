import assert from "node:assert/strict";
import { Device } from "../../runtime/device/device.ts";
import { usesSubgroups, withSubgroupDirective } from "../../runtime/device/subgroup_directive.ts";

Deno.test("every device has a separate adapter, since its first request consumes an adapter", async () => {
  const { requestDevice } = GPUAdapter.prototype;
  const consumed = new WeakSet<GPUAdapter>();
  let requests = 0;
  GPUAdapter.prototype.requestDevice = function (this: GPUAdapter, ...args: Parameters<typeof requestDevice>) {
    if (consumed.has(this)) return Promise.reject(new DOMException("The adapter is consumed", "InvalidStateError"));
    consumed.add(this);
    requests++;
    return requestDevice.apply(this, args);
  };
  try {
    const device = await Device.open();
    device.destroy();
    assert.equal(requests, 2, "one for the probe, one for the device");
  } finally {
    GPUAdapter.prototype.requestDevice = requestDevice;
  }
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
