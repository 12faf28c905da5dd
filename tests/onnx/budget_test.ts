/** Small files that ask for much work: refused by counts, before time or memory is spent. */
import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { openModel } from "../../runtime/onnx/open_model.ts";
import { fullTest, sampled } from "../support/full.ts";
import { type FileGraph, type FileModel, type FileNode, type FileTensor, onnxFile } from "../support/onnx_file.ts";

const node = (
  type: string,
  inputs: readonly string[],
  output: string,
  attributes: FileNode["attributes"] = {},
  domain = "",
): FileNode => ({ type, inputs, outputs: [output], attributes, domain });
const list = (name: string, ...values: number[]): FileTensor => ({
  name,
  shape: [values.length],
  type: "int64",
  values,
});
const whole = (name: string, value: number): FileTensor => ({ name, shape: [], type: "int64", values: [value] });
const rows = (n: number, make: (i: number) => FileNode): FileNode[] => Array.from({ length: n }, (_, i) => make(i));

/** A model of one input `x [n, 4]` and one output `y`. */
function model(nodes: readonly FileNode[], initializers: readonly FileTensor[] = [], rest: Partial<FileModel> = {}) {
  return onnxFile({ inputs: [{ name: "x", shape: ["n", 4] }], outputs: [{ name: "y" }], nodes, initializers, ...rest });
}

/** A loop over a body of nodes that turn `from` into `to`. */
function loop(turns: string, from: string, to: string, output: string, nodes: readonly FileNode[], carried = "v") {
  const body: FileGraph = {
    inputs: [{ name: `turn_${output}` }, { name: `go_${output}` }, { name: carried }],
    outputs: [{ name: `go_${output}` }, { name: to }],
    nodes,
  };
  return node("Loop", [turns, "", from], output, { body: { graph: body } });
}

/** Builds a model, and returns the number of operations in its graph. */
function build(file: Uint8Array): number {
  const graph = new Graph("infer");
  const y = openModel(file, null, [])(graph.leaf("input", "@x", rowMajor([2, 4], "f32")));
  ok(y.shape.length <= 64);
  return graph.nodes.length;
}

const many = list("s", 1 << 24);
const filled = node("ConstantOfShape", ["s"], "c");
const added = (from: string, to = "y") => node("Add", ["x", from], to);
const summed = (from: string, to: string) => node("ReduceSum", [from], to, { keepdims: 0 });

/** Constants of 2^26 elements or so in all, each way that an operator can make or read them. */
const CONSTANTS: Readonly<Record<string, () => Uint8Array>> = {
  "six large ones": () =>
    model([
      ...rows(6, (i) => node("ConstantOfShape", ["s"], `c${i}`)),
      ...rows(6, (i) => summed(`c${i}`, `r${i}`)),
      node("Sum", ["x", ...rows(6, (i) => added("", `r${i}`)).map(({ outputs }) => outputs[0]!)], "y"),
    ], [many]),
  "one that is read again and again": () =>
    model([
      filled,
      ...rows(9, (i) => summed("c", `r${i}`)),
      ...rows(9, (i) => node("Add", [i === 0 ? "x" : `a${i - 1}`, `r${i}`], i === 8 ? "y" : `a${i}`)),
    ], [many]),
  "one that is part of the model again and again": () =>
    model([
      node("ConstantOfShape", ["s"], "c"),
      ...rows(40, (i) => node("Mul", [i === 0 ? "x" : `m${i - 1}`, "c"], i === 39 ? "y" : `m${i}`)),
    ], [list("s", 1 << 19, 1, 4)]),
  "doubling by Concat": () =>
    model([
      ...rows(27, (i) => node("Concat", [`d${i}`, `d${i}`], `d${i + 1}`, { axis: 0 })),
      summed("d27", "r"),
      added("r"),
    ], [{ name: "d0", shape: [1], values: [1] }]),
  "doubling in a loop": () =>
    model(
      [loop("turns", "one", "w", "d", [node("Concat", ["v", "v"], "w", { axis: 0 })]), summed("d", "r"), added("r")],
      [whole("turns", 60), { name: "one", shape: [1], values: [1] }],
    ),
  "Tile": () => model([node("Tile", ["one", "s"], "c"), summed("c", "r"), added("r")], [list("s", 1 << 26), one]),
  "Expand": () => model([node("Expand", ["one", "s"], "c"), summed("c", "r"), added("r")], [list("s", 1 << 26), one]),
  "Range": () =>
    model([node("Range", ["zero", "end", "step"], "c"), node("Cast", ["c"], "f", { to: 1 }), added("f")], [
      whole("zero", 0),
      whole("end", 2 ** 50),
      whole("step", 1),
    ]),
  "Gather": () =>
    model([
      node("ConstantOfShape", ["i"], "places", { value: { tensor: { shape: [1], type: "int64", values: [0] } } }),
      node("ConstantOfShape", ["t"], "table"),
      node("Gather", ["table", "places"], "c"),
      summed("c", "r"),
      added("r"),
    ], [list("i", 1 << 13), list("t", 1, 1 << 13)]),
  "Where": () =>
    model([filled, node("Where", ["yes", "c", "one"], "w"), summed("w", "r"), added("r")], [many, one, yes]),
  "Pad": () => model([node("Pad", ["x", "pads"], "y", { mode: "reflect" })], [list("pads", 0, 2 ** 31, 0, 2 ** 31)]),
  "Resize": () =>
    model([
      node("Reshape", ["x", "images"], "i"),
      { ...node("Resize", ["i", "", "", "sizes"], "y"), attributes: { mode: "cubic" } },
    ], [list("images", -1, 1, 2, 2), list("sizes", 2, 1, 1, 2 ** 31)]),
  "EyeLike": () => model([filled, node("EyeLike", ["c"], "e"), summed("e", "r"), added("r")], [list("s", 8192, 4096)]),
  "NonZero": () =>
    model([
      node("ConstantOfShape", ["s"], "c", { value: { tensor: { shape: [1], values: [1] } } }),
      node("NonZero", ["c"], "z"),
      summed("z", "r"),
      added("r"),
    ], [list("s", 1 << 23, 1)]),
  "sizes without elements": () =>
    model([filled, node("ReduceSum", ["c", "last"], "z", { keepdims: 0 }), summed("z", "r"), added("r")], [
      list("s", 2 ** 40, 0),
      list("last", 1),
    ]),
  "parts without elements": () =>
    model([filled, node("Split", ["c"], "z", { axis: 0, num_outputs: 2 ** 40 }), summed("z", "r"), added("r")], [
      list("s", 2 ** 40, 0),
    ], { opset: 18 }),
  "copies of an initializer": () =>
    model([
      ...rows(999, (i) => node("Identity", ["w"], `w${i}`)),
      node("Sum", ["x", ...Array.from({ length: 999 }, (_, i) => `w${i}`)], "y"),
    ], [{ name: "w", shape: [1 << 14, 4], values: new Array<number>(1 << 16).fill(1) }]),
};
const one: FileTensor = { name: "one", shape: [1], values: [1] };
const yes: FileTensor = { name: "yes", shape: [], type: "bool", values: [1] };

for (const [name, file] of sampled(Object.entries(CONSTANTS), 4)) {
  Deno.test(`constants of too many elements are refused: ${name}`, () => {
    throws(() => build(file()), {
      name: "InputError",
      message: /needs \d+ elements of constants; expected at most \d+ in the whole model$/,
    });
  });
}

Deno.test("a value of more tensors than a model has is refused", () => {
  const terms = Array.from({ length: 3000 }, (_, i) => ({ name: `w${i}`, shape: [1], values: [i] }));
  const sums = rows(2999, (i) => node("Add", [i === 0 ? "w0" : `s${i - 1}`, `w${i + 1}`], `s${i}`));
  throws(() => build(model([...sums, added("s2998")], terms)), {
    message: /^onnx: model: Add needs \d+ elements of constants; expected at most \d+ in the whole model$/,
  });
});

fullTest("what a file may ask for grows with its size, and joins of nothing take no time", () => {
  const weights = { name: "w", shape: [1 << 18, 4], values: new Array<number>(1 << 20).fill(0.5) };
  const large = rows(8, (i) => node("Neg", [i === 0 ? "c" : `e${i - 1}`], `e${i}`));
  const file = (initializers: FileTensor[]) => model([filled, ...large, summed("e7", "r"), added("r")], initializers);
  throws(() => build(file([list("s", 1 << 22)])), /elements of constants/);
  ok(build(file([list("s", 1 << 22), weights])) > 0);
  const empty = [filled, node("Concat", ["c", "c"], "d", { axis: 1 }), node("Shape", ["d"], "z")];
  const nothing = [...empty, node("Cast", ["z"], "f", { to: 1 }), summed("f", "r"), added("r")];
  ok(build(model(nothing, [list("s", 2 ** 40, 0)])) > 0);
});

Deno.test("turns of loops without nodes, without an end and inside one another are counted", () => {
  const nested = (depth: number): FileNode =>
    loop(
      "turns",
      `v${depth + 1}`,
      depth === 0 ? "v0" : `w${depth - 1}`,
      `w${depth}`,
      depth === 0 ? [] : [
        nested(depth - 1),
      ],
      `v${depth}`,
    );
  const turns = /needs 16385 turns of loops and recurrent layers; expected at most 16384 in the whole model/;
  const relu = node("Relu", ["w3"], "y");
  const refused: readonly Uint8Array[] = [
    model([node("Identity", ["x"], "v4"), nested(3), relu], [whole("turns", 2 ** 52)]),
    model([loop("", "x", "v", "w", []), node("Relu", ["w"], "y")]),
  ];
  for (const file of refused) throws(() => build(file), { name: "InputError", message: turns });
  const sequence = [
    node("ReduceSum", ["x"], "q"),
    filled,
    node("Add", ["c", "q"], "z"),
    { ...node("RNN", ["z", "w", "r"], "h", { hidden_size: 1 }), outputs: ["h", "y"] },
  ];
  const cell = (name: string) => ({ name, shape: [1, 1, 1], values: [1] });
  throws(() => build(model(sequence, [list("s", 1_000_000, 1, 1), cell("w"), cell("r")])), {
    message: /RNN of model: needs 1000000 turns of loops and recurrent layers/,
  });
});

/** Functions, each of which calls the next one. */
function functions(count: number, calls: number, last: readonly FileNode[]): NonNullable<FileModel["functions"]> {
  return Array.from({ length: count }, (_, i) => ({
    name: `F${i}`,
    domain: "own",
    inputs: ["v0"],
    outputs: [`v${calls}`],
    nodes: i === count - 1 ? last : rows(calls, (c) => node(`F${i + 1}`, [`v${c}`], `v${c + 1}`, {}, "own")),
  }));
}

Deno.test("calls are counted even of functions without nodes, and their depth without a deep stack", () => {
  const call = [node("F0", ["x"], "y", {}, "own")];
  throws(() => build(model(call, [], { functions: functions(40, 2, []) })), {
    message: /^onnx: model: F0 needs 1099511627775 nodes and calls, .*; expected at most 131072 in the whole model$/,
  });
  throws(() => build(model(call, [], { functions: functions(20_000, 1, [node("Relu", ["v0"], "v1")]) })), {
    message:
      /^onnx: model: the function own\.F100 needs 101 graphs and functions inside one another; expected at most 100 /,
  });
  deepStrictEqual(build(model(call, [], { functions: functions(100, 1, [node("Relu", ["v0"], "v1")]) })), 2);
});

Deno.test("loops in functions up to the largest depth need no deep stack", () => {
  const inner = (depth: number, last: FileNode): FileNode =>
    depth === 0
      ? last
      : loop("turn", `a${depth}`, `b${depth - 1}`, `b${depth}`, [inner(depth - 1, last)], `a${depth - 1}`);
  const called = Array.from({ length: 3 }, (_, i) => ({
    name: `F${i}`,
    domain: "own",
    inputs: ["a31"],
    outputs: ["b31"],
    nodes: [
      node("Constant", [], "turn", { value_int: 1 }),
      inner(31, i === 2 ? node("Relu", ["a0"], "b0") : node(`F${i + 1}`, ["a0"], "b0", {}, "own")),
    ],
  }));
  deepStrictEqual(build(model([node("F0", ["x"], "y", {}, "own")], [], { functions: called })), 2);
});

Deno.test("a loop over a function looks names up without copies of its unused nodes", () => {
  const heavy: FileGraph = { outputs: [{ name: "n9999" }], nodes: rows(10_000, (i) => node("Relu", ["a"], `n${i}`)) };
  const light: FileGraph = { outputs: [{ name: "a" }], nodes: [] };
  const chosen = node("If", ["flag"], "r", { then_branch: { graph: light }, else_branch: { graph: heavy } });
  const called = { name: "F", domain: "own", inputs: ["a", "flag"], outputs: ["r"], nodes: [chosen] };
  const body = [node("F", ["v", "yes"], "w", {}, "own")];
  const file = model([loop("turns", "x", "w", "z", body), node("Relu", ["z"], "y")], [whole("turns", 10_000), yes], {
    functions: [called],
  });
  deepStrictEqual(build(file), 2);
});

Deno.test("operations of nodes that need many, and lists as long as no shape, are refused", () => {
  throws(
    () => build(model([node("Reshape", ["x", "c"], "y"), filled].toReversed(), [list("s", 1 << 22)])),
    /shape \(input 1\) has 4194304 numbers; expected at most 4096/,
  );
  const ones = node("ConstantOfShape", ["s"], "c", { value: { tensor: { shape: [1], type: "int64", values: [1] } } });
  throws(() => build(model([ones, node("ReduceSum", ["x"], "q"), node("Reshape", ["q", "c"], "y")], [list("s", 65)])), {
    message: /Reshape of model: its output has 65 dimensions; expected at most 64$/,
  });
  const steps = rows(60, (i) => node("LSTM", [i === 0 ? "x3" : `z${i - 1}`, "w", "r"], `h${i}`, { hidden_size: 1 }));
  const shaped = steps.flatMap((each, i) => [each, node("Reshape", [`h${i}`, "s"], i === 59 ? "y" : `z${i}`)]);
  const nodes = [node("ReduceSum", ["x"], "q"), filled, node("Add", ["c", "q"], "x3"), ...shaped];
  const cell = (name: string) => ({ name, shape: [1, 4, 1], values: [1, 1, 1, 1] });
  throws(() => build(model(nodes, [list("s", 260, 1, 1), cell("w"), cell("r")])), {
    message: /LSTM of model: needs \d+ operations of tensors; expected at most 262144 in the whole model/,
  });
});

Deno.test("a file of more messages than a model has is refused while it is read", () => {
  const sets = new Uint8Array(2 << 21);
  for (let i = 0; i < sets.length; i += 2) sets[i] = 0x42; // an empty opset_import
  throws(() => build(sets), { message: /needs 2097153 messages in the file; expected at most 2097152/ });
});
