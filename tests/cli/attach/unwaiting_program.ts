/** Runs marked steps that never wait for the device, until a signal ends it; prints its process ID after some steps. */
const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
for (let step = 0;; step++) {
  device.queue.submit([device.createCommandEncoder().finish()]);
  performance.mark("step");
  if (step === 8) console.log(`running as ${Deno.pid} now`);
  await new Promise((resolve) => setTimeout(resolve, 10));
}
