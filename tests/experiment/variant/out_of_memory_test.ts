import assert from "node:assert/strict";
import { runScenario, tiny } from "../running.ts";

/** Lets the device have no memory for buffers whose label matches, while `body` runs. */
async function withoutMemory<T>(label: RegExp, body: () => Promise<T>): Promise<T> {
  const { createBuffer } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (this: GPUDevice, descriptor) {
    if (label.test(descriptor.label ?? "")) {
      const error = new GPUOutOfMemoryError("Not enough memory left.");
      queueMicrotask(() => this.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error })));
    }
    return createBuffer.call(this, descriptor);
  };
  return await body().finally(() => GPUDevice.prototype.createBuffer = createBuffer);
}

Deno.test("a variant for which the device has no memory names what was planned and what to change", async () => {
  const scenario = tiny({ variants: { small: {}, large: { loader: { batchSize: 16 } } } });
  const { variants: [small, large] } = await withoutMemory(/^large\.input$/, () => runScenario(scenario));
  assert.equal(small!.status, "ok");
  assert.equal(large!.status, "failed");
  assert.equal(large!.error!.exitStatus, 3);
  assert.match(
    large!.error!.message,
    /^The device is out of memory with [\d.]+ [KM]iB in its buffers \(Not enough memory left\.\); variant "large" plans [\d.]+ [KM]iB of device memory: [\d.]+ [KM]iB of \w+, .*\. Lower loader\.batchSize or sink, pick fewer --variants, or close other programs that use the GPU$/,
  );
});
