/** Names in functions, in graphs inside of nodes, and around them. */
import { deepStrictEqual, throws } from "node:assert/strict";
import { Graph } from "../../runtime/graph/graph.ts";
import { addValues } from "../../runtime/onnx/importer.ts";
import { loadModel } from "../../runtime/onnx/loaded_model.ts";
import { Constant } from "../../runtime/onnx/value.ts";
import { type FileGraph, type FileModel, type FileNode, onnxFile } from "../support/onnx_file.ts";

/** Computes outputs of a model for x = [1, 2]. */
function compute(file: FileModel): number[][] {
  const model = loadModel({ content: onnxFile(file), name: "m.onnx", path: null }, () => false);
  const inputs = new Map([["x", Constant.of("float", [2], [1, 2])]]);
  const values = addValues(model, {}, new Graph("infer"), inputs, file.outputs.map(({ name }) => name));
  return values.map((value) => [...(value as Constant).values]);
}

const node = (type: string, inputs: string[], output: string, rest: Partial<FileNode> = {}): FileNode => ({
  type,
  inputs,
  outputs: [output],
  ...rest,
});
const yes = { name: "yes", shape: [], type: "bool" as const, values: [1] };

/** A branch that computes its output from values around it. */
function branch(...nodes: FileNode[]): FileGraph {
  return { outputs: [{ name: nodes.at(-1)!.outputs[0]! }], nodes };
}

Deno.test("an input that a call leaves out, and attributes in a branch, are those of the function", () => {
  const shifted = branch(node("Concat", ["a", "a"], "r", { attributes: { axis: { reference: "along" } } }));
  const attributes = { then_branch: { graph: shifted }, else_branch: { graph: branch(node("Neg", ["a"], "r")) } };
  const limited = {
    name: "Limited",
    domain: "own",
    inputs: ["a", "low", "high", "flag"],
    outputs: ["c"],
    nodes: [node("If", ["flag"], "b", { attributes }), node("Clip", ["b", "low", "high"], "c")],
  };
  const found = compute({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    nodes: [node("Limited", ["x", "", "top", "yes"], "y", { domain: "own", attributes: { along: 0 } })],
    initializers: [{ name: "top", shape: [], values: [1.5] }, yes],
    functions: [limited],
  });
  deepStrictEqual(found, [[1, 1.5, 1, 1.5]]);
});

Deno.test("attributes and left out inputs pass through calls inside calls, and a branch may hide an input's name", () => {
  const limited = node("Clip", ["a", "low", "high"], "b");
  const joined = node("Concat", ["b", "b"], "c", { attributes: { axis: { reference: "along" } } });
  const inner = { name: "In", domain: "own", inputs: ["a", "low", "high"], outputs: ["c"], nodes: [limited, joined] };
  const four = node("Constant", [], "low", { attributes: { value_floats: { floats: [3, 4, 5, 6] } } });
  const hiding = branch(four, node("Add", ["low", "o"], "r"));
  const outer = {
    name: "Out",
    domain: "own",
    inputs: ["a", "low", "high", "flag"],
    outputs: ["o", "p"],
    nodes: [
      node("In", ["a", "low", "high"], "o", { domain: "own", attributes: { along: { reference: "axis" } } }),
      node("If", ["flag"], "p", { attributes: { then_branch: { graph: hiding }, else_branch: { graph: hiding } } }),
    ],
  };
  const found = compute({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }, { name: "z" }],
    nodes: [{
      ...node("Out", ["x", "", "top", "yes"], "y", { domain: "own", attributes: { axis: 0 } }),
      outputs: ["y", "z"],
    }],
    initializers: [{ name: "top", shape: [], values: [1.5] }, yes],
    functions: [inner, outer],
  });
  deepStrictEqual(found, [[1, 1.5, 1, 1.5], [4, 5.5, 6, 7.5]]);
});

Deno.test("a name in a branch hides the one around it, and ends with it", () => {
  const inner = branch(node("Neg", ["x"], "h"), node("Add", ["h", "x"], "r"));
  const found = compute({
    inputs: [{ name: "x" }],
    outputs: [{ name: "z" }, { name: "w" }],
    nodes: [
      node("Identity", ["x"], "h"),
      node("If", ["yes"], "z", { attributes: { then_branch: { graph: inner }, else_branch: { graph: inner } } }),
      node("Add", ["h", "z"], "w"),
    ],
    initializers: [yes],
  });
  deepStrictEqual(found, [[0, 0], [1, 2]]);
});

Deno.test("loops in loops that make too many nodes are refused", () => {
  let turn: FileNode[] = Array.from(
    { length: 10 },
    (_, i) => node("Neg", [i === 0 ? "v0" : `n${i}`], i === 9 ? "w0" : `n${i + 1}`),
  );
  for (let depth = 0; depth < 2; depth++) {
    const body: FileGraph = {
      inputs: [{ name: `i${depth}` }, { name: `go${depth}` }, { name: `v${depth}` }],
      outputs: [{ name: `go${depth}` }, { name: `w${depth}` }],
      nodes: turn,
    };
    turn = [node("Loop", ["turns", "", `v${depth + 1}`], `w${depth + 1}`, { attributes: { body: { graph: body } } })];
  }
  const file: FileModel = {
    inputs: [{ name: "x" }],
    outputs: [{ name: "w2" }],
    nodes: [node("Identity", ["x"], "v2"), ...turn],
    initializers: [{ name: "turns", shape: [], type: "int64", values: [120] }],
  };
  throws(() => compute(file), {
    name: "InputError",
    message:
      /^model: layer "loop_\d+": Loop of m\.onnx: Neg: needs 131073 nodes and calls, those of functions and loops as often as they run; expected at/,
  });
});

Deno.test("loops are written out, conditions take a branch, and both read values around them", () => {
  const body: FileGraph = {
    inputs: [{ name: "turn" }, { name: "go" }, { name: "sum" }],
    outputs: [{ name: "go2" }, { name: "sum2" }, { name: "seen" }],
    nodes: [
      node("Identity", ["go"], "go2"),
      node("Add", ["sum", "x"], "sum2"),
      node("Identity", ["sum2"], "seen"),
    ],
  };
  const attributes = {
    then_branch: { graph: branch(node("Identity", ["total"], "y")) },
    else_branch: { graph: branch(node("Identity", ["x"], "y")) },
  };
  const found = compute({
    inputs: [{ name: "x" }],
    outputs: [{ name: "total" }, { name: "all" }, { name: "chosen" }],
    nodes: [
      {
        ...node("Loop", ["turns", "", "start"], "total", { attributes: { body: { graph: body } } }),
        outputs: ["total", "all"],
      },
      node("If", ["flag"], "chosen", { attributes }),
    ],
    initializers: [
      { name: "turns", shape: [], type: "int64", values: [3] },
      { name: "start", shape: [], values: [10] },
      { name: "flag", shape: [], type: "bool", values: [0] },
    ],
  });
  deepStrictEqual(found, [[13, 16], [11, 12, 12, 14, 13, 16], [1, 2]]);
});
