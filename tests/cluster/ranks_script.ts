/**
 * A training whose variants run on one rank and on all ranks, with faults that tests plant:
 *
 * - PLANT_RANK is the rank with the fault, or `all`.
 * - PLANT is `data` or `step`, which delay each of its samples or submits by PLANT_MS, `samples` for other samples,
 *   `model` for another model, `throw`, or a signal that it sends to itself.
 * - PLANT_AT is the moment of the latter: `load` (of this script), `sample` (the first), `pipeline` (the first),
 *   `submit 10` (the tenth), `keep` (the first write to the store), or an operation of MPI, such as `leave` or
 *   `sum gradients 2` (the first ones measure the network) or `step 5` (its gradients, with `kind=mlp`).
 */
import { DatabaseSync } from "node:sqlite";
import {
  conv2d,
  crossEntropy,
  flatten,
  gpt,
  lenet,
  linear,
  relu,
  resnet,
  run,
  scenario,
  sequential,
  sgd,
  tensors,
  tokens,
  transforms as t,
  z,
} from "../../mod.ts";

const SAMPLES = 96;
const RANK = Deno.env.get("OMPI_COMM_WORLD_RANK") ?? Deno.env.get("PMI_RANK") ?? "0";
const planted = [RANK, "all"].includes(Deno.env.get("PLANT_RANK") ?? "") ? Deno.env.get("PLANT") : undefined;
const [, moment, count] = /^(.*?)(?: (\d+))?$/.exec(Deno.env.get("PLANT_AT") ?? "")!;
let passed = 0;
/** True once the first sample was read, which is after the measurement of the network. */
let trains = false;

/** Sleeps for the planted time. */
function delay(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(Deno.env.get("PLANT_MS")));
}

/** Brings about the planted fault if its moment has come. */
function pass(at: string): void {
  if (planted === undefined || at !== moment || ++passed !== Number(count ?? 1)) return;
  if (planted === "throw") throw new Error("planted");
  Deno.kill(Deno.pid, planted as Deno.Signal);
}

pass("load");

if (planted !== undefined) {
  const { submit } = GPUQueue.prototype;
  GPUQueue.prototype.submit = function (buffers) {
    if (planted === "step") delay();
    pass("submit");
    return submit.call(this, buffers);
  };
  const { createComputePipelineAsync } = GPUDevice.prototype;
  GPUDevice.prototype.createComputePipelineAsync = function (descriptor) {
    pass("pipeline");
    return createComputePipelineAsync.call(this, descriptor);
  };
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message: { operation?: { do: string } }, ...rest: never[]) {
    if (message.operation !== undefined) pass(message.operation.do);
    if (trains && message.operation?.do === "sum gradients") pass("step");
    return postMessage.call(this, message, ...rest);
  };
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (...args) {
    if (/^\s*insert/i.test(args[0])) pass("keep");
    return prepare.apply(this, args);
  };
}

const delayed = t.map(function delayed() {
  if (planted === "data") delay();
  pass("sample");
  trains = true;
});

/** Other data on a rank with other samples. */
const PERIOD = planted === "samples" ? 12 : 12.9898;

const images = (shape: number[], classes: number) =>
  tensors({
    input: {
      shape,
      data: Float32Array.from({ length: SAMPLES * shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * PERIOD)),
    },
    target: { data: Int32Array.from({ length: SAMPLES }, (_, i) => i % classes) },
    classes,
    transforms: [delayed],
  });

export default scenario({
  name: "ranks",
  params: { kind: z.enum(["mlp", "deep", "conv", "lenet", "gpt", "resnet"]).default("mlp") },
  model: ({ kind }) => {
    switch (kind) {
      case "mlp":
        return sequential(flatten(), linear(planted === "model" ? 33 : 32), relu(), linear(4));
      case "deep":
        return sequential(flatten(), ...[1, 2, 3].flatMap(() => [linear(64), relu()]), linear(4));
      case "conv":
        return sequential(conv2d(4, { kernel: 3 }), relu(), flatten(), linear(4));
      case "lenet":
        return lenet({ classes: 4 });
      case "gpt":
        return gpt({ layers: 1, heads: 2, width: 16, context: 8, vocabulary: 7 });
      case "resnet":
        return resnet({ depth: 20, classes: 4 });
    }
  },
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: ({ kind }) => {
    if (kind === "gpt") return tokens({ array: Uint8Array.from({ length: 2000 }, (_, i) => i * i % 7), context: 8 });
    if (kind === "lenet") return images([1, 28, 28], 4);
    return images(kind === "resnet" ? [3, 8, 8] : [1, 8, 8], 4);
  },
  loader: { batchSize: 16 },
  measure: { steps: 5, skip: 2, maxSkip: 2, rounds: 4, aa: false, setups: 1, opRounds: 1 },
  variants: {
    one: {},
    ranks: { distribute: { bucket: 1024 } },
    overlap: { distribute: { bucket: 1024, overlap: true } },
    compress: { distribute: { bucket: 1024, compress: "f16" } },
  },
});

if (import.meta.main) await run();
