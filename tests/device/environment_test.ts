import assert from "node:assert/strict";
import { memoryLimit } from "../../runtime/compile/budget.ts";
import { Device } from "../../runtime/device/device.ts";
import { withKernels } from "../support/with_kernels.ts";

Deno.test("TACHO_KERNELS sets the class of adapter that kernels are chosen for", async () => {
  const opened = (kernels: string) =>
    withKernels(kernels, async () => {
      const device = await Device.open();
      device.destroy();
      return device;
    });
  const { info, traits } = await opened("");
  for (const kernels of ["cpu", "gpu"]) {
    const device = await opened(kernels);
    assert.equal(device.traits.class, kernels);
    // the memory limit still follows the actual adapter
    assert.equal(memoryLimit(null, device.info) === null, !info.fallback);
  }
  assert.equal(traits.class, info.fallback ? "cpu" : "gpu");
  await assert.rejects(opened("tpu"), /^InputError: TACHO_KERNELS=tpu: expected cpu or gpu$/);
});
