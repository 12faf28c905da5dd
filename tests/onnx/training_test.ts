/** Models from files in scenarios: the same training as the same model in code, frozen weights, several inputs, files in results. */
import { deepStrictEqual, notDeepStrictEqual, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import {
  createTrainer,
  crossEntropy,
  linear,
  onnx,
  relu,
  scenario,
  sequential,
  sgd,
  tensors,
  type Trainer,
} from "../../mod.ts";
import { describeConfig } from "../../runtime/scenario/describe.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { type FileModel, type FileTensor, onnxFile } from "../support/onnx_file.ts";
import { normals } from "../support/op_case.ts";
import { tempFolder } from "../support/temp_folder.ts";

const drawn = (name: string, shape: readonly number[], seed: number): FileTensor => ({
  name,
  shape,
  values: [...normals(shape.reduce((a, b) => a * b, 1), seed)].map((value) => Math.fround(0.5 * value)),
});

const WEIGHTS = [
  drawn("fc1.weight", [5, 3], 1),
  drawn("fc1.bias", [5], 2),
  drawn("fc2.weight", [4, 5], 3),
  drawn("fc2.bias", [4], 4),
];

/** A perceptron as PyTorch exports it. */
const PERCEPTRON: FileModel = {
  inputs: [{ name: "input", shape: ["batch", 3] }],
  outputs: [{ name: "output", shape: ["batch", 4] }],
  nodes: [
    { type: "Gemm", inputs: ["input", "fc1.weight", "fc1.bias"], outputs: ["h"], attributes: { transB: 1 } },
    { type: "Relu", name: "/act/Relu", inputs: ["h"], outputs: ["a"] },
    { type: "Gemm", inputs: ["a", "fc2.weight", "fc2.bias"], outputs: ["output"], attributes: { transB: 1 } },
  ],
  initializers: WEIGHTS,
};

const data = tensors({
  input: { shape: [3], data: Float32Array.from(normals(24, 9)) },
  target: { data: Int32Array.from({ length: 8 }, (_, i) => i % 4) },
  classes: 4,
});

const training = {
  name: "imported",
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data,
  loader: { batchSize: 8 },
} as const;

async function losses(trainer: Trainer, steps: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < steps; i++) found.push((await trainer.step()).loss!);
  return found;
}

Deno.test("a model from a file trains like the same model in code, bit for bit, under the file's names", async () => {
  const file = await onnx(onnxFile(PERCEPTRON));
  await using imported = await createTrainer(scenario({ ...training, model: file }));
  const code = sequential({ fc1: linear(5), act: relu(), fc2: linear(4) });
  await using written = await createTrainer(scenario({ ...training, model: code }));
  const weights = new Map(
    WEIGHTS.map(({ name, shape, values }) => [name!, { shape, data: Float32Array.from(values) }]),
  );
  await written.loadParameters(weights);
  deepStrictEqual([...(await imported.parameters()).keys()].sort(), [...weights.keys()].sort());
  deepStrictEqual(await losses(imported, 4), await losses(written, 4));
});

Deno.test("frozen weights stay as they are, and the output may be any value between nodes", async () => {
  const frozen = await onnx(onnxFile(PERCEPTRON), { freeze: "fc1.*", output: "a" });
  const model = sequential({ backbone: frozen, head: linear(4) });
  await using trainer = await createTrainer(scenario({ ...training, model }));
  const before = await trainer.runningState();
  const head = (await trainer.parameters()).get("head.weight");
  await losses(trainer, 2);
  deepStrictEqual([...(await trainer.parameters()).keys()].sort(), ["head.bias", "head.weight"]);
  deepStrictEqual([...before.keys()].sort(), ["backbone.fc1.bias", "backbone.fc1.weight"]);
  deepStrictEqual(await trainer.runningState(), before);
  notDeepStrictEqual((await trainer.parameters()).get("head.weight"), head);
});

Deno.test("a layer from a file that is applied twice has its weights once", async () => {
  const square = await onnx(onnxFile({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    nodes: [{ type: "MatMul", inputs: ["x", "w"], outputs: ["y"] }],
    initializers: [drawn("w", [3, 3], 5)],
  }));
  const model = sequential(square, square, linear(4));
  await using trainer = await createTrainer(scenario({ ...training, model }));
  deepStrictEqual([...(await trainer.parameters()).keys()].sort(), ["0.w", "2.bias", "2.weight"]);
  ok((await losses(trainer, 2)).every(Number.isFinite));
});

Deno.test("a model of several inputs takes a record of tensors by the names of the file", async () => {
  const model = await onnx(onnxFile({
    inputs: [{ name: "left", shape: ["n", 4] }, { name: "right", shape: ["n", 4] }],
    outputs: [{ name: "y" }],
    nodes: [{ type: "Mul", inputs: ["left", "right"], outputs: ["y"] }],
  }));
  const values = (seed: number) => ({ shape: [4], data: Float32Array.from(normals(32, seed)) });
  const inputs = { left: values(1), right: values(2) };
  const spec = scenario({
    name: "record",
    model,
    mode: "infer",
    data: tensors({ inputs, target: { data: new Int32Array(8) }, classes: 4 }),
    loader: { batchSize: 8 },
  });
  await using trainer = await createTrainer(spec);
  const y = await trainer.forward({ left: inputs.left.data, right: inputs.right.data });
  deepStrictEqual([...y], [...inputs.left.data].map((a, i) => Math.fround(a * inputs.right.data[i]!)));
});

Deno.test("a batch of another size than the one that the file fixes keeps samples apart", async () => {
  const model = await onnx(onnxFile({
    inputs: [{ name: "x", shape: [1, 3] }],
    outputs: [{ name: "y", shape: [1, 3] }],
    nodes: [
      { type: "Constant", inputs: [], outputs: ["shape"], attributes: { value_ints: [1, -1] } },
      { type: "Reshape", inputs: ["x", "shape"], outputs: ["y"] },
    ],
  }));
  await using trainer = await createTrainer(scenario({ ...training, mode: "infer", loss: null, model }));
  deepStrictEqual((await trainer.forward(Float32Array.from(normals(24, 3)))).shape, [8, 3]);
});

Deno.test("the settings of a run name the files of its model", async () => {
  using temporary = tempFolder();
  const folder = temporary.path;
  const path = join(folder, "net.onnx");
  await Deno.writeFile(path, onnxFile(PERCEPTRON));
  const spec = scenario({ ...training, model: sequential({ net: await onnx(path) }) });
  const [variant] = resolveScenario(spec).variants;
  deepStrictEqual(describeConfig(variant!.config)["modelFiles"], [path]);
});

Deno.test("what does not fit is refused with the file, the value and the fix", async () => {
  const model = await onnx(onnxFile({ ...PERCEPTRON, inputs: [{ name: "input", shape: ["batch", 7] }] }));
  await rejects(createTrainer(scenario({ ...training, model })), {
    message:
      /model: the input "input" expects float32\[batch, 7\], got f32\[8, 3\]; change the data, or export the model/,
  });
  await rejects(onnx("missing.onnx"), { message: "onnx: there is no file missing.onnx" });
  await rejects(onnx(onnxFile(PERCEPTRON), { output: "outptu" }), {
    message: 'onnx: model does not compute "outptu"; did you mean "output"?',
  });
  await rejects(onnx(onnxFile(PERCEPTRON), { freeze: "fc3.*" }), {
    message: /freeze "fc3\.\*" matches no weight of model/,
  });
  const odd = onnxFile({
    ...PERCEPTRON,
    nodes: [{ type: "Relux", name: "r", inputs: ["input"], outputs: ["output"] }],
  });
  await rejects(onnx(odd), {
    message: 'onnx: model has operators that Tacho does not have:\n  Relux: 1 node, the first is "r"',
  });
});
