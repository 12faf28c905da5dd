/** Draws for each message, on a device that the first message opens. */
const scope = self as unknown as {
  addEventListener(type: "message", listener: (event: MessageEvent<number>) => void): void;
  postMessage(value: unknown): void;
  readonly name: string;
};

let drawing: Promise<void> = Promise.resolve();
let device: GPUDevice | null = null;
scope.addEventListener("message", ({ data }) => {
  drawing = drawing.then(async () => {
    const { drawBundle, openDevice } = await import("./late_module.ts");
    device ??= await openDevice("worker");
    scope.postMessage(`${scope.name} ${data}: ${await drawBundle(device)}`);
  });
});
export {};
