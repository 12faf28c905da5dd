import assert from "node:assert/strict";
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
  for (const kernels of ["cpu", "gpu"]) assert.equal((await opened(kernels)).traits.class, kernels);
  const { info, traits } = await opened("");
  assert.equal(traits.class, info.fallback ? "cpu" : "gpu");
  await assert.rejects(opened("tpu"), /^InputError: TACHO_KERNELS=tpu: expected cpu or gpu$/);
});
