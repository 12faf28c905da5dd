/** Which tensors of a file are trained, frozen, state or constant, why, and under which names. */
import { deepStrictEqual, match, notDeepStrictEqual, rejects } from "node:assert/strict";
import {
  createTrainer,
  meanSquaredError,
  onnx,
  type OnnxOptions,
  relu,
  scenario,
  sequential,
  sgd,
  tensors,
} from "../../mod.ts";
import {
  type FileGraph,
  type FileModel,
  type FileNode,
  type FileTensor,
  onnxFile,
  type PyTorchKind,
} from "../support/onnx_file.ts";
import { drawn } from "../support/onnx_node.ts";

const node = (type: string, inputs: readonly string[], output: string, rest: Partial<FileNode> = {}): FileNode => ({
  type,
  inputs,
  outputs: [output],
  ...rest,
});

/** A tensor of numbers that tell nothing. */
const some = (name: string, ...shape: readonly number[]): FileTensor => ({
  name,
  shape,
  values: drawn(shape.reduce((a, b) => a * b, 1), name.length),
});

const axes = (...values: readonly number[]): FileTensor => ({
  name: "axes",
  type: "int64",
  shape: [values.length],
  values,
});

/** A node `Constant` in place of an initializer. */
const stored = (tensor: FileTensor): FileNode =>
  node("Constant", [], tensor.name!, { attributes: { value: { tensor } } });

const input = { name: "x", shape: ["n", 3, 4] };
const file = (nodes: readonly FileNode[], initializers: readonly FileTensor[] = [], rest: Partial<FileModel> = {}) =>
  onnxFile({ inputs: [input], outputs: [{ name: "y" }], nodes, initializers, ...rest });

async function usages(content: Uint8Array, options: OnnxOptions = {}): Promise<Record<string, string>> {
  const model = await onnx(content, options);
  return Object.fromEntries(
    model.tensors.filter(({ type }) => type === "float32" || type === "int8")
      .map(({ name, usage, reason }) => [name, `${usage}: ${reason}`]),
  );
}

const LINEAR = [node("MatMul", ["x", "w"], "p"), node("Add", ["p", "b"], "h")];
const WEIGHTS = [some("w", 4, 4), some("b", 4)];
const LEARNED = { w: "trained: weight", b: "trained: bias" };

const CASES: Readonly<Record<string, readonly [Uint8Array, Readonly<Record<string, string>>]>> = {
  "the bias of one output, which is added": [
    file([node("MatMul", ["x", "w"], "p"), node("Add", ["b", "p"], "y")], [some("w", 4, 1), some("b", 1)]),
    { w: "trained: weight", b: "trained: bias" },
  ],
  "a number that is added to other values": [
    file([...LINEAR, node("Relu", ["h"], "r"), node("Add", ["r", "one"], "y")], [...WEIGHTS, some("one", 1)]),
    { ...LEARNED, one: "constant: number" },
  ],
  "weights behind moves": [
    file(
      [
        node("Transpose", ["w"], "t", { attributes: { perm: [1, 0] } }),
        node("Identity", ["t"], "i"),
        node("Cast", ["i"], "c", { attributes: { to: 1 } }),
        node("MatMul", ["x", "c"], "p"),
        node("Unsqueeze", ["b", "axes"], "u"),
        node("Add", ["p", "u"], "h"),
        node("Concat", ["s1", "s2"], "s", { attributes: { axis: 0 } }),
        node("PRelu", ["h", "s"], "y"),
      ],
      [...WEIGHTS, some("s1", 3), some("s2", 1), axes(0)],
    ),
    { ...LEARNED, s1: "trained: scale, bias or slope", s2: "trained: scale, bias or slope" },
  ],
  "weights in nodes Constant, as paddle2onnx writes them": [
    file([
      stored(some("w", 4, 1)),
      stored(some("b", 1)),
      stored(some("half", 1)),
      node("MatMul", ["x", "w"], "p"),
      node("Add", ["p", "b"], "h"),
      node("Mul", ["h", "half"], "y"),
    ]),
    { w: "trained: weight", b: "trained: bias", half: "constant: number" },
  ],
  "lists of floats in nodes Constant": [
    file([
      stored(some("w", 4, 4)),
      node("Constant", [], "b", { attributes: { value_floats: { floats: [1, 2, 3, 4.5] } } }),
      node("MatMul", ["x", "w"], "p"),
      node("Add", ["p", "b"], "y"),
    ]),
    LEARNED,
  ],
  "nodes Constant beside weights in initializers": [
    file(
      [...LINEAR, stored(some("s", 4)), stored(some("z", 4)), node("LayerNormalization", ["h", "s", "z"], "y")],
      WEIGHTS,
    ),
    { ...LEARNED, s: "constant: node Constant", z: "constant: node Constant" },
  ],
  "constants that normalise the input, whatever their names, beside a bias": [
    file(
      [node("Sub", ["x", "q0"], "c"), node("Mul", ["c", "q1"], "d"), node("Div", ["d", "q2"], "e")].concat(
        [node("MatMul", ["e", "w"], "p"), node("Sub", ["p", "b"], "y")],
      ),
      [some("q0", 4), some("q1", 1, 1, 4), some("q2", 3, 4), ...WEIGHTS],
    ),
    {
      q0: "constant: normalises the input",
      q1: "constant: normalises the input",
      q2: "constant: normalises the input",
      w: "trained: weight",
      b: "trained: is subtracted",
    },
  ],
  "positions and factors of the input that are learned": [
    file([node("Add", ["x", "pos"], "a"), node("Mul", ["a", "gate"], "y")], [some("pos", 1, 3, 4), some("gate", 4)]),
    { pos: "trained: is added", gate: "trained: is multiplied" },
  ],
  "masks and tables of waves by their elements": [
    file(
      [
        ...LINEAR,
        node("Add", ["h", "t"], "a"),
        node("Mul", ["a", "m"], "c"),
        node("Add", ["c", "low"], "d"),
        node("Mul", ["d", "ones"], "y"),
      ],
      [
        ...WEIGHTS,
        {
          name: "t",
          shape: [1, 8, 4],
          values: Array.from({ length: 32 }, (_, i) => Math.sin((i >> 2) / 10 ** (i % 4 >> 1) + i % 2)),
        },
        { name: "m", shape: [4], values: [1, 0, 1, 1] },
        { name: "low", shape: [4], values: [0, -Infinity, -1e9, 0] },
        { name: "ones", shape: [4], values: [1, 1, 1, 1] },
      ],
    ),
    {
      ...LEARNED,
      t: "constant: a table of waves or steps",
      m: "constant: a mask",
      low: "constant: a mask",
      ones: "trained: is multiplied",
    },
  ],
  "names of buffers and parameters": [
    file(
      [
        node("Sub", ["x", "pre.bias"], "c"),
        node("MatMul", ["c", "rotary.inv_freq"], "p"),
        node("Mul", ["p", "model.layer-1.alpha"], "q"),
        node("Mul", ["q", "onnx::Mul_7"], "r"),
        node("Add", ["r", "attn_mask"], "y"),
      ],
      [
        some("pre.bias", 4),
        some("rotary.inv_freq", 4, 4),
        some("model.layer-1.alpha", 1),
        some("onnx::Mul_7", 1),
        some("attn_mask", 3, 4),
      ],
    ),
    {
      "pre.bias": "trained: name of a parameter",
      "rotary.inv_freq": "constant: name of a buffer",
      "model.layer-1.alpha": "trained: is multiplied",
      "onnx::Mul_7": "constant: number",
      attn_mask: "constant: name of a buffer",
    },
  ],
  "settings, epsilons and the scale of attention": [
    file(
      [
        ...LINEAR,
        node("Transpose", ["h"], "k", { attributes: { perm: [0, 2, 1] } }),
        node("Mul", ["h", "m.scale"], "q"),
        node("MatMul", ["q", "k"], "s"),
        node("Softmax", ["s"], "a", { attributes: { axis: -1 } }),
        node("MatMul", ["a", "h"], "v"),
        node("Abs", ["v"], "size"),
        node("Add", ["size", "m.small"], "above"),
        node("Sqrt", ["above"], "root"),
        node("Clip", ["root", "m.least"], "y"),
      ],
      [...WEIGHTS, some("m.scale"), some("m.small"), some("m.least")],
    ),
    {
      ...LEARNED,
      "m.scale": "constant: scale of attention",
      "m.small": "constant: epsilon",
      "m.least": "constant: setting",
    },
  ],
  "running statistics, and what no layer reads": [
    file(
      [node("BatchNormalization", ["x", "g", "b", "m", "v"], "y")],
      [some("g", 3), some("b", 3), some("m", 3), { name: "v", shape: [3], values: [1, 2, 3] }, some("unused", 3)],
    ),
    {
      g: "trained: scale, bias or slope",
      b: "trained: scale, bias or slope",
      m: "state: running statistics",
      v: "state: running statistics",
      unused: "constant: not used",
    },
  ],
  "one blur for all channels": [
    file(
      [node("Conv", ["x", "blur"], "h", { attributes: { group: 3 } }), node("Conv", ["h", "w"], "y")],
      [{ name: "blur", shape: [3, 1, 3], values: [1, 2, 1, 1, 2, 1, 1, 2, 1] }, some("w", 2, 3, 1)],
    ),
    { blur: "constant: one filter for all channels", w: "trained: weight" },
  ],
  "a quantised weight, and its scale": [
    file(
      [node("DequantizeLinear", ["w", "s"], "f"), node("MatMul", ["x", "f"], "y")],
      [{ ...some("w", 4, 4), type: "int8", values: drawn(16).map((value) => Math.round(9 * value)) }, some("s")],
    ),
    { w: "trained: weight", s: "constant: setting" },
  ],
  "what PyTorch's newer exporter says": [
    file(
      [node("MatMul", ["x", "a"], "p"), node("Add", ["p", "mean"], "y")],
      [some("a", 4, 4), some("mean", 4)],
      { declared: new Map<string, PyTorchKind>([["a", "BUFFER"], ["mean", "PARAMETER"]]) },
    ),
    { a: "constant: declared a buffer", mean: "trained: declared" },
  ],
};

for (const [name, [content, want]] of Object.entries(CASES)) {
  Deno.test(`trained or not: ${name}`, async () => deepStrictEqual(await usages(content), want));
}

Deno.test("tensors of branches and of functions are trained where layers use them", async () => {
  const branch = (name: string): FileGraph => ({
    outputs: [{ name: "out" }],
    nodes: [node("MatMul", ["x", "w"], "out")],
    initializers: [some("w", 4, name.length)],
  });
  const attributes = { then_branch: { graph: branch("four") }, else_branch: { graph: branch("three") } };
  const own = {
    name: "Shift",
    domain: "own",
    inputs: ["v", "by", "unit"],
    outputs: ["z"],
    nodes: [node("Relu", ["v"], "u"), node("Mul", ["u", "by"], "t"), node("Clip", ["t", "", "unit"], "z")],
  };
  const content = file(
    [
      node("If", ["flag"], "h", { attributes }),
      node("Shift", ["h", "g", "limit"], "y", { domain: "own" }),
    ],
    [{ name: "flag", shape: [], type: "bool", values: [1] }, some("g", 4), some("limit", 1)],
    { functions: [own] },
  );
  deepStrictEqual(await usages(content), {
    g: "trained: is multiplied",
    limit: "constant: setting",
    w_2: "trained: weight",
    w_3: "trained: weight",
  });
  deepStrictEqual(await trained(content, 4), ["g", "w_2"]);
});

/** Names of the parameters after a step, which all have changed. */
async function trained(content: Uint8Array, width: number, options: OnnxOptions = {}): Promise<string[]> {
  await using trainer = await createTrainer(await training(content, width, options));
  const before = await trainer.parameters();
  await trainer.step();
  const after = await trainer.parameters();
  for (const [name, { data }] of before) notDeepStrictEqual(after.get(name)!.data, data, name);
  return [...after.keys()].sort();
}

async function training(content: Uint8Array, width: number, options: OnnxOptions = {}) {
  return scenario({
    name: "trained",
    model: await onnx(content, options),
    loss: meanSquaredError(),
    optimizer: sgd({ learningRate: 0.1 }),
    data: tensors({
      input: { shape: [3, 4], data: Float32Array.from(drawn(24)) },
      target: { shape: [3, width], data: new Float32Array(6 * width).fill(3) },
    }),
    loader: { batchSize: 2 },
  });
}

Deno.test("numbers, quantised weights and weights behind moves change in a step, under the names of the file", async () => {
  const names = ["a b/w:0", "block1-0.bias", "s\u{1b}[31m", "@input"];
  const [weight, bias, slope, factor] = names as [string, string, string, string];
  const content = file(
    [
      node("DequantizeLinear", [weight, "scale"], "f"),
      node("MatMul", ["x", "f"], "p"),
      node("Add", ["p", bias], "h"),
      node("Unsqueeze", [slope, "axes"], "u"),
      node("PRelu", ["h", "u"], "r"),
      node("Mul", ["r", factor], "y"),
    ],
    [
      { ...some(weight, 4, 1), type: "int8", values: [3, -2, 5, 1] },
      { name: "scale", shape: [], values: [0.25] },
      some(bias, 1),
      { name: slope, shape: [1], values: [0.25] },
      some(factor, 3, 1),
      axes(0),
    ],
  );
  deepStrictEqual(await trained(content, 1), ["_@input", "a b/w:0", "block1-0.bias", "s\\u{1b}[31m"]);
  deepStrictEqual(await trained(content, 1, { freeze: ["a b/*", "*-0.bias"] }), ["_@input", "s\\u{1b}[31m"]);
});

Deno.test("freeze keeps tensors, train takes them in, and both name what they cannot do", async () => {
  const content = file(
    [
      node("Sub", ["x", "shift"], "c"),
      ...LINEAR.map((each) => ({ ...each, inputs: each.inputs.map((name) => name === "x" ? "c" : name) })),
      node("Relu", ["h"], "y"),
    ],
    [some("shift", 4), ...WEIGHTS, axes(0)],
  );
  deepStrictEqual(await trained(content, 4), ["b", "w"]);
  deepStrictEqual(await trained(content, 4, { train: "shift" }), ["b", "shift", "w"]);
  deepStrictEqual(await trained(content, 4, { freeze: true, train: "b" }), ["b"]);
  deepStrictEqual(await usages(content, { freeze: "w" }), {
    shift: "constant: normalises the input",
    w: "frozen: option freeze",
    b: "trained: bias",
  });
  await rejects(onnx(content, { train: "axes" }), {
    message: 'onnx: train "axes" matches only what cannot be trained, such as axes (constant: integers); ' +
      "expected floats that a layer reads",
  });
  await rejects(onnx(content, { train: "shfit" }), {
    message: /train "shfit" matches no weight of model; did you mean "shift"/,
  });
});

Deno.test("a training without parameters is refused, inference is not", async () => {
  const content = file([...LINEAR, node("Relu", ["h"], "y")], WEIGHTS);
  const message = /^model: it has no parameters to train: all tensors of model are frozen or constant/;
  await rejects(trained(content, 4, { freeze: true }), { name: "InputError", message });
  await rejects(trained(file([node("Relu", ["x"], "y")]), 4), { name: "InputError", message });
  const frozen = sequential({ frozen: await onnx(content, { freeze: true }), act: relu() });
  await rejects(createTrainer(scenario({ ...(await training(content, 4)), model: frozen })), { message });
  const spec = await training(content, 4, { freeze: true });
  await using trainer = await createTrainer(scenario({ ...spec, mode: "infer" }));
  deepStrictEqual((await trainer.forward(Float32Array.from(drawn(24)))).shape, [2, 3, 4]);
});

Deno.test("a model whose weights are inputs says so", async () => {
  const content = file([node("Gemm", ["x", "fc.weight"], "y")], [], {
    inputs: [{ name: "x", shape: ["n", 4] }, { name: "fc.weight", shape: [4, 4] }],
  });
  await rejects(trained(content, 4), {
    message: /A layer reads "fc.weight" as a weight, which the file does not have/,
  });
});

Deno.test("norms with frozen weights are trained with the others", async () => {
  const norm = ["h", "g", "z", "m", "v"];
  const content = file(
    [node("MatMul", ["x", "w"], "h"), node("BatchNormalization", norm, "y")],
    [some("w", 4, 4), some("g", 3), some("z", 3), some("m", 3), { name: "v", shape: [3], values: [1, 2, 3] }],
  );
  deepStrictEqual(await trained(content, 4, { freeze: ["g", "z"] }), ["w"]);
  match((await usages(content))["m"]!, /^state/);
});
