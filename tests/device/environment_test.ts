import assert from "node:assert/strict";
import { memoryLimit } from "../../runtime/compile/budget.ts";
import { Device } from "../../runtime/device/device.ts";

Deno.test("TACHO_KERNELS chooses the kind of adapter that kernels are made for", async () => {
  const opened = async (kernels: string) => {
    Deno.env.set("TACHO_KERNELS", kernels);
    try {
      const device = await Device.open();
      device.destroy();
      return device;
    } finally {
      Deno.env.delete("TACHO_KERNELS");
    }
  };
  const { info, traits } = await opened("");
  for (const kernels of ["cpu", "gpu"]) {
    const device = await opened(kernels);
    assert.equal(device.traits.class, kernels);
    // what an adapter's memory is stays as it is
    assert.equal(memoryLimit(null, device.info) === null, !info.fallback);
  }
  assert.equal(traits.class, info.fallback ? "cpu" : "gpu");
  await assert.rejects(opened("tpu"), /^InputError: TACHO_KERNELS=tpu: expected cpu or gpu$/);
});
