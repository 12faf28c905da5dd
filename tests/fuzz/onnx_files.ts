import { join } from "node:path";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import type { RandomStream } from "../../runtime/core/random.ts";
import { loadModel } from "../../runtime/onnx/loaded_model.ts";
import { openModel } from "../../runtime/onnx/open_model.ts";
import { summarize } from "../../runtime/onnx/summary.ts";
import { tryToBuild } from "../../runtime/onnx/trial_build.ts";
import { scenarioText } from "../../runtime/cli/onnx/scenario_text.ts";
import {
  type FileAttribute,
  type FileFunction,
  type FileGraph,
  type FileModel,
  type FileNode,
  type FileTensor,
  onnxFile,
} from "../support/onnx_file.ts";
import { chance, damaged, pick, TEXTS } from "./draws.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";

/**
 * Random structures of ONNX files: functions that call each other, loops and branches inside one another, and constants that
 * grow, of sizes from nothing to 2^50; some files are damaged as well. Each is described and built.
 */
export const onnxFiles: Fuzzer = {
  name: "onnx files",
  few: 40,
  begin: (folder) => {
    for (const link of ["out", "loop"]) Deno.symlinkSync(link === "out" ? "/etc/passwd" : "loop", join(folder, link));
    return async (random) => {
      const file = new Drawn(random).model();
      const whole = onnxFile(file);
      const content = chance(random, 0.1) ? damaged(random, whole) : whole;
      const path = join(folder, "m.onnx");
      Deno.writeFileSync(path, content);
      const shown = JSON.stringify(file).slice(0, 2000);
      await survives(shown, () => {
        const model = loadModel({ content, name: "m.onnx", path }, () => false);
        const summary = summarize(model);
        const sizes = new Map([["width", 4]]);
        tryToBuild(model, { batchSize: 2, sizes });
        scenarioText(summary, { model: "m.onnx", sizes, batchSize: 2 });
      });
      await survives(shown, () => {
        const model = openModel(path, null, []);
        const graph = new Graph(pick(random, ["infer", "train"]));
        const x = graph.leaf("input", "@x", rowMajor([2, 4], "f32"));
        if (model.inputs.length === 1) model(x);
        else model(Object.fromEntries(model.inputs.map(({ name, field }) => [field ?? name, x])));
      });
    };
  },
};

/** Sizes of constants, numbers of turns, axes. */
const WHOLES = [0, 1, 1, 2, 2, 3, 4, 4, 7, 64, 65, 1000, 4097, 1 << 20, 2 ** 31, 2 ** 32, 2 ** 50, -1, -2];

/** Operators by their number of inputs, with attributes; the last inputs are lists or numbers. */
const OPERATORS: readonly (readonly [type: string, inputs: readonly Kind[], attributes?: readonly string[]])[] = [
  ...["Relu", "Neg", "Identity", "Shape", "Size", "NonZero", "Transpose", "Squeeze", "Dropout"]
    .map((type) => [type, ["value"]] as const),
  ...["Add", "Mul", "MatMul", "Equal"].map((type) => [type, ["value", "value"]] as const),
  ...["Expand", "Tile", "Unsqueeze", "Pad", "Reshape"].map((type) => [type, ["value", "list"]] as const),
  ...["ReduceSum", "ReduceMax"].map((type) => [type, ["value", "list"], ["keepdims"]] as const),
  ...["EyeLike", "Trilu"].map((type) => [type, ["value"], ["k"]] as const),
  ["Flatten", ["value"], ["axis"]],
  ["Cast", ["value"], ["to"]],
  ["ConstantOfShape", ["list"]],
  ["Range", ["number", "number", "number"]],
  ["Concat", ["value", "value"], ["axis"]],
  ["Gather", ["value", "value"], ["axis"]],
  ["GatherND", ["value", "value"]],
  ["Slice", ["value", "list", "list"]],
  ["Split", ["value"], ["axis", "num_outputs"]],
  ["Where", ["value", "value", "value"]],
  ["OneHot", ["value", "number", "list"]],
  ["Resize", ["value", "none", "none", "list"]],
  ["ArgMax", ["value"], ["axis", "select_last_index"]],
  ["CumSum", ["value", "number"]],
  ["TopK", ["value", "list"], ["axis"]],
  ["RNN", ["value", "value", "value"], ["hidden_size"]],
  ["Sum", ["value", "value", "value"]],
  ["Compress", ["value", "value"], ["axis"]],
];

type Kind = "value" | "list" | "number" | "none";

/** Draws a model from a seed. */
class Drawn {
  readonly #random: RandomStream;
  readonly #initializers: FileTensor[] = [];
  readonly #functions: readonly string[];
  #count = 0;

  constructor(random: RandomStream) {
    this.#random = random;
    this.#functions = Array.from({ length: random.below(5) }, (_, i) => `F${i}`);
  }

  model(): FileModel {
    const random = this.#random;
    const inputs = Array.from({ length: pick(random, [1, 1, 1, 2]) }, (_, i) => ({
      name: chance(random, 0.8) ? `x${i}` : `${pick(random, TEXTS)}${i}`,
      ...chance(random, 0.9)
        ? { shape: ["n", pick<number | string>(random, [4, 4, 4, 4, 4, "width", pick(random, WHOLES)])] }
        : {},
    }));
    const { nodes, names } = this.#nodes(inputs.map(({ name }) => name), 3, 12);
    const functions = this.#functions.map((name, i) => this.#function(name, i));
    const opset = pick(random, [17, 18, 11, 9]);
    return { inputs, outputs: [{ name: names.at(-1)! }], nodes, initializers: this.#initializers, functions, opset };
  }

  /** Mostly calls functions that follow, sometimes any, and sometimes has no nodes. */
  #function(name: string, i: number): FileFunction {
    const random = this.#random;
    const { nodes, names } = this.#nodes(["a", "b"], 2, 4, this.#functions.slice(chance(random, 0.95) ? i + 1 : 0));
    return { name, domain: "own", inputs: ["a", "b"], outputs: [names.at(-1)!], nodes };
  }

  /** Draws nodes that read values around them and each other. */
  #nodes(around: readonly string[], depth: number, most: number, functions = this.#functions) {
    const names = [...around];
    const nodes = Array.from({ length: this.#random.below(most + 1) }, () => {
      const node = this.#node(names, depth, functions);
      names.push(...node.outputs.filter((name) => name !== ""));
      return node;
    });
    return { nodes, names };
  }

  #node(names: readonly string[], depth: number, functions: readonly string[]): FileNode {
    const random = this.#random;
    const value = () =>
      chance(random, 0.4) ? names.at(-1)! : chance(random, 0.3) ? this.#floats() : pick(random, names);
    const outputs = [`v${this.#count++}`];
    if (functions.length > 0 && chance(random, 0.2)) {
      const type = pick(random, functions);
      return { type, domain: "own", inputs: [value(), ...chance(random, 0.8) ? [value()] : []], outputs };
    }
    if (depth > 0 && chance(random, 0.15)) {
      const body = this.#body(names, depth - 1, functions);
      return { type: "Loop", inputs: [this.#number(), "", value()], outputs, attributes: { body: { graph: body } } };
    }
    if (depth > 0 && chance(random, 0.1)) {
      const [then, otherwise] = [0, 1].map(() => this.#branch(names, depth - 1, functions)) as [FileGraph, FileGraph];
      const attributes = { then_branch: { graph: then }, else_branch: { graph: otherwise } };
      return { type: "If", inputs: [this.#number()], outputs, attributes };
    }
    const [type, kinds, known = []] = pick(random, OPERATORS);
    const inputs = kinds.map((kind) =>
      kind === "value" ? value() : kind === "list" ? this.#list() : kind === "number" ? this.#number() : ""
    );
    const attributes: Record<string, FileAttribute> = {};
    for (const name of known) {
      if (name === "to") attributes[name] = pick(random, [1, 7, 9]);
      else if (chance(random, 0.4)) attributes[name] = pick(random, chance(random, 0.9) ? [0, 1, -1] : WHOLES);
    }
    return { type, inputs, outputs, attributes };
  }

  #body(names: readonly string[], depth: number, functions: readonly string[]): FileGraph {
    const [turn, go, carried] = ["t", "g", "c"].map((letter) => `${letter}${this.#count++}`) as [
      string,
      string,
      string,
    ];
    const { nodes, names: inner } = this.#nodes([...names, turn, carried], depth, 4, functions);
    return {
      inputs: [{ name: turn }, { name: go }, { name: carried }],
      outputs: [{ name: go }, { name: inner.at(-1)! }],
      nodes,
    };
  }

  #branch(names: readonly string[], depth: number, functions: readonly string[]): FileGraph {
    const { nodes, names: inner } = this.#nodes(names, depth, 4, functions);
    return { outputs: [{ name: inner.at(-1)! }], nodes };
  }

  #list(): string {
    const [random, small] = [this.#random, chance(this.#random, 0.7)];
    const values = Array.from({ length: random.below(4) }, () => pick(random, small ? [0, 1, 2, 4] : WHOLES));
    return this.#add({ shape: [values.length], type: "int64", values });
  }

  #floats(): string {
    const [rows, columns] = [pick(this.#random, [1, 2, 2]), pick(this.#random, [1, 4, 4])];
    return this.#add({ shape: [rows, columns], values: Array.from({ length: rows * columns }, (_, i) => i - 2) });
  }

  #number(): string {
    return this.#add({ shape: [], type: "int64", values: [pick(this.#random, WHOLES)] });
  }

  #add(tensor: FileTensor): string {
    const random = this.#random;
    const name = `i${this.#count++}`;
    const location = pick(random, ["out", "loop", "m.onnx", "../x", "gone"]);
    const external = chance(random, 0.01)
      ? { external: { location, offset: 0, length: 8 * tensor.values.length } }
      : {};
    this.#initializers.push({ ...tensor, name, ...external });
    return name;
  }
}
