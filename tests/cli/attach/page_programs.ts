/** Pages for the tests of `tacho attach --page`. They are small enough for a software adapter. */

/** WGSL that adds 1 to each value of a buffer. */
const ADD = "@group(0) @binding(0) var<storage, read_write> b: array<f32>; " +
  "@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) i: vec3u) { b[i.x] = b[i.x] + 1; }";

/** Declares `device`, and `step(values)`, which uploads, dispatches twice, reads back and returns the first value. */
export const STEPS = `
const device = await (await navigator.gpu.requestAdapter()).requestDevice({ label: "page" });
const buffer = device.createBuffer({ label: "data", size: 256, usage: 140 });
const target = device.createBuffer({ label: "target", size: 256, usage: 9 });
const module = device.createShaderModule({ code: ${JSON.stringify(ADD)} });
const pipeline = device.createComputePipeline({ label: "adding", layout: "auto", compute: { module } });
const entries = [{ binding: 0, resource: { buffer } }];
const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
async function step(value, extra = () => {}) {
  device.queue.writeBuffer(buffer, 0, new Float32Array(64).fill(value));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  extra(pass);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, target, 0, 256);
  device.queue.submit([encoder.finish()]);
  await target.mapAsync(GPUMapMode.READ);
  const [first] = new Float32Array(target.getMappedRange());
  target.unmap();
  return first;
}
`;

/** Returns a page with a module script. */
export function page(script: string, head = ""): string {
  return `<!doctype html><title>test</title>${head}<script type="module">${script}</script>`;
}

/** Eight steps, then the page closes its window. */
export const CLOSING = page(`${STEPS}
for (let i = 0; i < 8; i++) console.log(i, await step(10 * i));
window.close();
`);

/** Steps without an end. */
export const ENDLESS = page(`${STEPS}
for (let i = 0;; i++) {
  await step(i);
  performance.mark("step");
  if (i === 5) console.log("runs");
}
`);

/** A device in a worker, which says how it went. */
const WORKER = `(async () => {
  const device = await (await navigator.gpu.requestAdapter()).requestDevice({ label: "worker" });
  for (let i = 0; i < 3; i++) { device.queue.submit([]); await device.queue.onSubmittedWorkDone(); }
  postMessage("done");
})()`;

/** Workers of every kind and a frame, each with a device. Then it closes. */
export const REALMS = page(`
const code = ${JSON.stringify(WORKER)};
const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const answer = (port) => new Promise((resolve) => port.onmessage = ({ data }) => resolve(data));
const nested = "const w = new Worker(" + JSON.stringify("data:text/javascript," + encodeURIComponent(code)) +
  "); w.onmessage = ({ data }) => postMessage(data);";
const shared = new SharedWorker(blob("onconnect = ({ ports: [p] }) => {" + code.replace("postMessage", "p.postMessage") + "}"));
const said = [
  await answer(new Worker(blob(code))),
  await answer(new Worker(blob(code), { type: "module" })),
  await answer(new Worker(blob(nested))),
  await answer(shared.port),
];
const frame = document.createElement("iframe");
frame.srcdoc = "<script type=module>await navigator.gpu.requestAdapter().then((a) => a.requestDevice({ label: 'frame' }))" +
  ".then(async (d) => { d.queue.submit([]); await d.queue.onSubmittedWorkDone(); }); parent.postMessage('done');</" + "script>";
document.body.append(frame);
said.push(await answer(window));
console.log(said.join());
window.close();
`);
