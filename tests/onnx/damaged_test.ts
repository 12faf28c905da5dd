/** Damaged files, and files that are no models: one readable message each. */
import { ok, rejects } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { onnx } from "../../mod.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { type FileGraph, type FileModel, onnxFile } from "../support/onnx_file.ts";
import { drawn } from "../support/onnx_node.ts";

const MODEL: FileModel = {
  inputs: [{ name: "x", shape: ["n", 2, 4, 4] }],
  outputs: [{ name: "y", shape: ["n", 3] }],
  nodes: [
    {
      type: "Conv",
      name: "conv",
      inputs: ["x", "w"],
      outputs: ["c"],
      attributes: { kernel_shape: [3, 3], strides: [2, 2] },
    },
    { type: "Relu", inputs: ["c"], outputs: ["r"] },
    { type: "Flatten", inputs: ["r"], outputs: ["f"], attributes: { axis: 1 } },
    { type: "Slice", inputs: ["f", "from", "to"], outputs: ["y"] },
  ],
  initializers: [
    { name: "w", shape: [3, 2, 3, 3], values: drawn(54) },
    { name: "from", shape: [2], type: "int64", values: [0, 0] },
    { name: "to", shape: [2], type: "int64", values: [1, 3] },
  ],
};

/** Reads a model and adds it to a graph; throws anything but an InputError with a message of its own. */
async function attempt(content: Uint8Array): Promise<void> {
  try {
    const model = await onnx(content);
    const graph = new Graph("train");
    const x = graph.leaf("input", "@x", rowMajor([2, 2, 4, 4], "f32"));
    if (model.inputs.length === 1) model(x);
    else model(Object.fromEntries(model.inputs.map(({ name }) => [name, x])));
  } catch (error) {
    ok(error instanceof InputError, String((error as Error).stack));
    ok(error.message.length > 0 && error.message.length < 2000, error.message);
    ok(!error.message.includes("failed: "), error.message);
  }
}

Deno.test("a file that is cut off or has flipped bits never ends in a raw error", async () => {
  const file = onnxFile(MODEL);
  for (let length = 0; length < file.length; length++) await attempt(file.slice(0, length));
  const random = new RandomStream(1);
  for (let i = 0; i < 400; i++) {
    const damaged = file.slice();
    for (const place of random.permutation(file.length).slice(0, 2)) damaged[place]! ^= 1 << (i % 8);
    await attempt(damaged);
  }
});

Deno.test("files that are no models are refused with what is wrong", async () => {
  const cases: readonly [Uint8Array, RegExp][] = [
    [new Uint8Array(), /^onnx: model: the file is no ONNX file: it is empty; is the download complete\?$/],
    [new TextEncoder().encode("import torch\n"), /^onnx: model: the file is no ONNX file: it is a text file/],
    [gzipSync(onnxFile(MODEL)), /^onnx: model: the file is no ONNX file: it is compressed with gzip; unpack it$/],
    [onnxFile({ ...MODEL, nodes: MODEL.nodes.toReversed() }), /Slice reads "f", which no node before it computes/],
    [onnxFile({ ...MODEL, outputs: [] }), /has no outputs; name a value by the option output/],
    [onnxFile({ ...MODEL, inputs: [] }), /has no input/],
    [onnxFile(nested(40)), /graphs are nested more than 32 deep/],
    [
      onnxFile({ ...MODEL, initializers: [{ name: "w", shape: [4, 2, 3, 3], values: drawn(54) }] }),
      /the tensor "w" has 216 bytes; expected 288 for the shape \[4, 2, 3, 3\]/,
    ],
    [
      onnxFile({ ...MODEL, initializers: [{ name: "w", shape: [-3, 1], values: [] }] }),
      /the tensor "w" has the shape \[-3, 1\]; expected sizes of at least 0/,
    ],
  ];
  for (const [content, message] of cases) await rejects(async () => await read(content), { message });
});

async function read(content: Uint8Array): Promise<void> {
  const model = await onnx(content);
  model(new Graph("infer").leaf("input", "@x", rowMajor([2, 2, 4, 4], "f32")));
}

/** A model whose conditions are nested. */
function nested(depth: number): FileModel {
  let inner: FileGraph = { outputs: [{ name: "y" }], nodes: [{ type: "Relu", inputs: ["x"], outputs: ["y"] }] };
  for (let i = 0; i < depth; i++) {
    const attributes = { then_branch: { graph: inner }, else_branch: { graph: { outputs: [], nodes: [] } } };
    inner = { outputs: [{ name: "y" }], nodes: [{ type: "If", inputs: ["yes"], outputs: ["y"], attributes }] };
  }
  return { ...inner, inputs: [{ name: "x" }], initializers: [{ name: "yes", shape: [], type: "bool", values: [1] }] };
}
