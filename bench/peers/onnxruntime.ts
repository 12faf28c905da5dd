/**
 * Inference of an MLP in onnxruntime-web on its WebGPU provider. The model is an ONNX file that is written here. What is
 * reported as a loss is the sum of the absolute outputs.
 */
import * as ort from "onnxruntime-web/webgpu";
import { gemm, onnxModel, relu } from "./onnx_model.ts";
import { trainSteps } from "./steps.ts";

const BATCH = 8;
const [INPUTS, HIDDEN, OUTPUTS] = [32, 64, 10] as const;

/** Number of batches, which take turns. */
const BATCHES = 4;

let state = 3;
const random = () => ((state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32) - 0.5;
const floats = (length: number) => Float32Array.from({ length }, random);

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";
const model = onnxModel({
  input: { name: "x", shape: [BATCH, INPUTS] },
  output: { name: "y", shape: [BATCH, OUTPUTS] },
  weights: [
    { name: "w1", shape: [INPUTS, HIDDEN], values: floats(INPUTS * HIDDEN) },
    { name: "b1", shape: [HIDDEN], values: floats(HIDDEN) },
    { name: "w2", shape: [HIDDEN, OUTPUTS], values: floats(HIDDEN * OUTPUTS) },
    { name: "b2", shape: [OUTPUTS], values: floats(OUTPUTS) },
  ],
  nodes: [gemm(["x", "w1", "b1"], "h"), relu("h", "r"), gemm(["r", "w2", "b2"], "y")],
});
const session = await ort.InferenceSession.create(model, { executionProviders: ["webgpu"] });
const batches = Array.from({ length: BATCHES }, () => floats(BATCH * INPUTS));

/** The latest run, since a session runs one batch at a time. */
let latest: Promise<unknown> = Promise.resolve();

await trainSteps(
  (i) => {
    const x = new ort.Tensor("float32", batches[i % BATCHES]!, [BATCH, INPUTS]);
    const running = latest.then(() => session.run({ x }));
    latest = running;
    return running;
  },
  async (running) => {
    const { y } = await running;
    return (await y!.getData() as Float32Array).reduce((sum, value) => sum + Math.abs(value), 0);
  },
);
