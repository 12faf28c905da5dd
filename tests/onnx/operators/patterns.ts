/**
 * Random graphs around the patterns that the importer recognises, some of which only resemble one, and their values in f64
 * by an interpreter of the nodes as they are written.
 *
 * @module
 */
import type { FileModel, FileNode, FileTensor } from "../../support/onnx_file.ts";
import type { NodeTensor } from "../../support/onnx_node.ts";
import { broadcastOf, build, type Draw, indicesOf, matmul, range, read, softmax, sum, transposed } from "./draw.ts";
import { erf } from "./elementwise.ts";

export interface DrawnPattern {
  readonly name: string;
  readonly file: FileModel;
  /** Values of the inputs by name. */
  readonly inputs: Readonly<Record<string, NodeTensor>>;
}

const ELEMENTWISE: Readonly<Record<string, (...values: number[]) => number>> = {
  Add: (a, b) => a! + b!,
  Sub: (a, b) => a! - b!,
  Mul: (a, b) => a! * b!,
  Div: (a, b) => a! / b!,
  Pow: (a, b) => a! ** b!,
  Sqrt: (a) => Math.sqrt(a!),
  Erf: (a) => erf(a!),
  Tanh: (a) => Math.tanh(a!),
  Identity: (a) => a!,
  Where: (condition, a, b) => condition !== 0 ? a! : b!,
};

/** Computes all values of a graph. */
export function interpret(
  { nodes, initializers = [] }: FileModel,
  inputs: Readonly<Record<string, NodeTensor>>,
): Map<string, NodeTensor> {
  const values = new Map<string, NodeTensor>(Object.entries(inputs));
  for (const tensor of initializers) {
    values.set(tensor.name!, {
      ...tensor,
      values: tensor.type === undefined ? tensor.values.map(Math.fround) : tensor.values,
    });
  }
  for (const node of nodes) values.set(node.outputs[0]!, valueOf(node, node.inputs.map((name) => values.get(name)!)));
  return values;
}

function valueOf({ type, attributes = {} }: FileNode, given: readonly NodeTensor[]): NodeTensor {
  const [x, y] = given as [NodeTensor, NodeTensor];
  const of = ELEMENTWISE[type];
  if (of !== undefined) {
    return build(
      broadcastOf(given.map(({ shape }) => shape)),
      (index) => of(...given.map((each) => read(each, index))),
    );
  }
  switch (type) {
    case "MatMul":
      return x.shape.length === 1 ? flat(matmul({ ...x, shape: [1, ...x.shape] }, y)) : matmul(x, y);
    case "Transpose":
      return transposed(x, attributes["perm"] as readonly number[] | undefined ?? range(x.shape.length).reverse());
    case "Softmax": {
      const axis = attributes["axis"] as number;
      const order = range(x.shape.length).with(axis, x.shape.length - 1).with(
        -1,
        axis < 0 ? axis + x.shape.length : axis,
      );
      return transposed(softmax(transposed(x, order)), order);
    }
    case "ReduceMean": {
      const axes = (attributes["axes"] as readonly number[] ?? y.values).map((axis) =>
        axis < 0 ? axis + x.shape.length : axis
      );
      return build(x.shape.map((n, d) => axes.includes(d) ? 1 : n), (index) => {
        const places = indicesOf(x.shape.map((n, d) => axes.includes(d) ? n : 1));
        return sum(places.map((at) => read(x, index.map((i, d) => axes.includes(d) ? at[d]! : i)))) / places.length;
      });
    }
    case "Gather": {
      const axis = attributes["axis"] as number;
      return build(x.shape.toSpliced(axis, 1), (index) => read(x, index.toSpliced(axis, 0, y.values[0]!)));
    }
  }
  throw new Error(`no reference of ${type}`);
}

function flat(x: NodeTensor): NodeTensor {
  return { ...x, shape: x.shape.toSpliced(-2, 1) };
}

/** A graph in the making. */
class Sketch {
  readonly nodes: FileNode[] = [];
  readonly initializers: FileTensor[] = [];
  readonly inputs: Record<string, NodeTensor> = {};
  readonly draw: Draw;
  #count = 0;

  constructor(draw: Draw) {
    this.draw = draw;
  }

  add(type: string, inputs: readonly string[], attributes?: FileNode["attributes"]): string {
    const name = `v${this.#count++}`;
    // Sums and products are written in either order
    const isSwapped = (type === "Add" || type === "Mul") && this.draw.chance();
    this.nodes.push({
      type,
      inputs: isSwapped ? inputs.toReversed() : inputs,
      outputs: [name],
      ...attributes === undefined ? {} : { attributes },
    });
    return name;
  }

  input(tensor: NodeTensor): string {
    const name = `in${this.#count++}`;
    this.inputs[name] = tensor;
    return name;
  }

  tensor(tensor: NodeTensor): string {
    const name = `c${this.#count++}`;
    this.initializers.push({ ...tensor, name });
    return name;
  }

  /** A number, in a rank that may be that of what it is combined with, or larger; sometimes it is slightly off. */
  number(value: number, exact = false): string {
    const rank = this.draw.chance(0.6) ? 0 : this.draw.whole(0, 4);
    const off = !exact && this.draw.chance(0.08) ? 1.0005 : 1;
    return this.tensor({ shape: new Array<number>(rank).fill(1), values: [Math.fround(value * off)] });
  }
}

function gelu(sketch: Sketch, isTanh: boolean): string {
  const { draw } = sketch;
  const x = sketch.input(draw.floats(draw.shape(0, 3), { extremes: [0, 1e4, -1e4, 40, -40] }));
  const inner = () => {
    if (!isTanh) {
      const scaled = draw.chance()
        ? sketch.add("Div", [x, sketch.number(Math.SQRT2)])
        : sketch.add("Mul", [x, sketch.number(Math.SQRT1_2)]);
      return sketch.add("Erf", [scaled]);
    }
    const cubed = sketch.add("Pow", [x, sketch.number(draw.chance(0.9) ? 3 : 2, true)]);
    const added = sketch.add("Add", [x, sketch.add("Mul", [cubed, sketch.number(0.044715)])]);
    return sketch.add("Tanh", [sketch.add("Mul", [added, sketch.number(Math.sqrt(2 / Math.PI))])]);
  };
  const factor = sketch.add("Add", [inner(), sketch.number(1, true)]);
  const half = sketch.number(0.5, true);
  if (draw.chance()) return sketch.add("Mul", [sketch.add("Mul", [x, half]), factor]);
  return draw.chance()
    ? sketch.add("Mul", [sketch.add("Mul", [x, factor]), half])
    : sketch.add("Mul", [sketch.add("Mul", [factor, half]), x]);
}

function layerNorm(sketch: Sketch, opset: number): string {
  const { draw } = sketch;
  const shape = draw.shape(2, 3, 6);
  const x = sketch.input(draw.floats(shape));
  const n = shape.at(-1)!;
  const axes = draw.chance(0.8) ? [-1] : draw.chance() ? [-2] : [-2, -1];
  const mean = (value: string) =>
    opset >= 18
      ? sketch.add("ReduceMean", [value, sketch.tensor({ shape: [axes.length], values: axes, type: "int64" })])
      : sketch.add("ReduceMean", [value], { axes });
  const centred = sketch.add("Sub", [x, mean(x)]);
  const square = draw.chance()
    ? sketch.add("Pow", [centred, sketch.number(2, true)])
    : sketch.add("Mul", [centred, centred]);
  const root = sketch.add("Sqrt", [sketch.add("Add", [mean(square), sketch.number(draw.pick([1e-5, 1e-3]))])]);
  const normal = sketch.add("Div", [centred, root]);
  const weight = () => sketch.tensor(draw.floats(draw.pick([[n], [n], [1], [1, n], [1, 1, 1, n], []])));
  return sketch.add("Add", [sketch.add("Mul", [normal, weight()]), weight()]);
}

function attention(sketch: Sketch): string {
  const { draw } = sketch;
  const rank = draw.whole(2, 4);
  const [t, s, d, e] = [draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 4)];
  const square = draw.chance() ? t : s;
  const batch = [draw.whole(1, 2), draw.whole(1, 3)].slice(4 - rank);
  const part = () => batch.map((n) => draw.chance(0.15) ? 1 : n);
  const options = { extremes: draw.chance(0.3) ? [60, -60] : [] };
  const q = sketch.input(draw.floats([...part(), t, d], options));
  const keyBatch = part();
  const keys = sketch.input(draw.floats([...keyBatch, square, d], options));
  const v = sketch.input(draw.floats([...draw.chance(0.8) ? keyBatch : part(), square, e]));
  const perm = [...range(rank - 2), rank - 1, rank - 2];
  let k = sketch.add("Transpose", [keys], { perm });
  const scaled = (value: string) =>
    draw.chance() ? sketch.add("Mul", [value, sketch.number(0.5)]) : sketch.add("Div", [value, sketch.number(2)]);
  if (draw.chance(0.3)) k = scaled(k);
  let scores = sketch.add("MatMul", [draw.chance(0.3) ? scaled(q) : q, k]);
  if (draw.chance(0.6)) scores = scaled(scores);
  const low = draw.pick([-1000.5, -2000, -1e4, -1e9, -3.4028234663852886e38, -Infinity]);
  const shape = draw.pick([[t, square], [1, t, square], [1, 1, t, square], [...batch, t, square], [1, square]]);
  const isTriangle = draw.chance(0.6);
  // Each query keeps its first key
  const isKept = (index: readonly number[]) =>
    index.at(-1) === 0 || (isTriangle ? index.at(-1)! <= index.at(-2)! : draw.chance());
  const kind = draw.whole(0, 2);
  if (kind === 1) {
    const mask = build(shape, (index) => isKept(index) ? draw.chance(0.1) ? 0.5 : 0 : low);
    scores = sketch.add("Add", [scores, draw.chance(0.8) ? sketch.tensor(mask) : sketch.input(mask)]);
  } else if (kind === 2) {
    const mask = build(shape, (index) => isKept(index) ? 1 : 0, "bool");
    scores = sketch.add("Where", [
      draw.chance(0.8) ? sketch.tensor(mask) : sketch.input(mask),
      scores,
      sketch.number(low, true),
    ]);
  }
  return sketch.add("MatMul", [sketch.add("Softmax", [scores], { axis: kind !== 0 || draw.chance(0.9) ? -1 : 0 }), v]);
}

function bias(sketch: Sketch): string {
  const { draw } = sketch;
  const [n, m] = [draw.whole(1, 4), draw.whole(1, 4)];
  const x = sketch.input(draw.floats([...draw.shape(0, 3, 3), n]));
  const isTransposed = draw.chance(0.3);
  const weight = sketch.tensor(draw.floats(isTransposed ? [m, n] : [n, m]));
  const product = sketch.add("MatMul", [
    x,
    isTransposed ? sketch.add("Transpose", [weight], draw.chance() ? { perm: [1, 0] } : undefined) : weight,
  ]);
  return sketch.add("Add", [
    product,
    sketch.tensor(draw.floats(draw.pick([[m], [1], [1, m], [1, 1, 1, m], [m === 1 ? 3 : m]]))),
  ]);
}

function unbind(sketch: Sketch): string {
  const { draw } = sketch;
  const shape = [draw.whole(1, 3), draw.whole(2, 3), draw.whole(1, 3)];
  const x = sketch.input(draw.floats(shape));
  const axis = draw.whole(0, 2);
  const parts = range(shape[axis]!).slice(0, draw.chance(0.2) ? 1 : 3);
  const order = draw.order(parts.length);
  const names = order.map((i) =>
    sketch.add("Gather", [x, sketch.tensor({ shape: [], values: [parts[i]!], type: "int64" })], { axis })
  );
  return names.reduce((sum, name) => sketch.add(draw.pick(["Sub", "Add", "Mul"]), [sum, name]));
}

const PATTERNS: Readonly<Record<string, (sketch: Sketch, opset: number) => string>> = {
  "gelu by erf": (sketch) => gelu(sketch, false),
  "gelu by tanh": (sketch) => gelu(sketch, true),
  "layer norm": layerNorm,
  attention,
  bias,
  unbind,
};

/** Draws a graph around one of the patterns. Another node, or the caller, may read a value inside of it. */
export function drawPattern(draw: Draw): DrawnPattern {
  const name = draw.pick(Object.keys(PATTERNS));
  const opset = draw.pick([13, 17, 18]);
  const sketch = new Sketch(draw);
  const last = PATTERNS[name]!(sketch, opset);
  const outputs = [sketch.add("Identity", [last])];
  if (draw.chance(0.15)) outputs.push(sketch.add("Identity", [draw.pick(sketch.nodes).outputs[0]!]));
  if (draw.chance(0.1)) outputs.push(last);
  const { nodes, initializers, inputs } = sketch;
  return {
    name,
    inputs,
    file: {
      opset,
      inputs: Object.entries(inputs).map(([input, { type }]) => ({
        name: input,
        ...type === undefined ? {} : { type },
      })),
      outputs: [...new Set(outputs)].map((output) => ({ name: output })),
      nodes,
      initializers,
    },
  };
}
