/**
 * Begins with WebGPU long after its start, in a module that it imports then; draws a bundle, sends messages to a worker
 * that does not listen yet, and loses its devices. What it prints must not depend on being recorded.
 */
await new Promise((resolve) => setTimeout(resolve, 150));
const { drawBundle, openDevice } = await import("./late_module.ts");

const device = await openDevice("drawing");
console.log("drawn", await drawBundle(device), await drawBundle(device));

// Messages to a worker that imports its own module later, by both kinds of listeners
{
  const worker = new Worker(new URL("./late_worker.ts", import.meta.url), { type: "module", name: "late" });
  for (const value of [1, 2, 3]) worker.postMessage(value);
  const answers: unknown[] = [];
  await new Promise<void>((resolve) =>
    worker.addEventListener("message", ({ data }) => {
      answers.push(data);
      if (answers.length === 3) resolve();
    })
  );
  console.log("worker", answers.join(), worker instanceof Worker, String(worker));
  worker.terminate();
}

// Requests that the adapter refuses
for (const descriptor of [{ requiredLimits: { maxBufferSize: 2 ** 52 } }, { requiredFeatures: ["none"] }, 5]) {
  const request = navigator.gpu.requestAdapter().then((adapter) =>
    Reflect.apply(adapter!.requestDevice, adapter, [descriptor]) as Promise<GPUDevice>
  );
  console.log(await request.then(() => "opened", (error: unknown) => `refused: ${error}`));
}

// A device that goes while work is open, and its objects afterwards
{
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const lost = device.lost.then(({ reason, message }) => console.log("lost", reason, message));
  device.destroy();
  device.destroy();
  await lost;
  const attempt = async (name: string, action: () => unknown) => {
    try {
      await action();
      console.log(name, "done");
    } catch (error) {
      console.log(name, String(error).split("\n")[0]);
    }
  };
  await attempt("end", () => pass.end());
  await attempt("finish", () => device.queue.submit([encoder.finish()]));
  await attempt("buffer", () => device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_DST }).destroy());
  await attempt(
    "write",
    () => device.queue.writeBuffer(device.createBuffer({ size: 4, usage: 8 }), 0, new Uint8Array(4)),
  );
  await attempt("work", () => device.queue.onSubmittedWorkDone());
}

// Another device after the first
const second = await openDevice("second");
console.log("drawn again", await drawBundle(second));
console.log("ended");
export {};
