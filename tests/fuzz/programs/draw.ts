/**
 * Draws random programs of tensor ops: shapes with odd sizes, broadcasts, views of views, and tensors that several ops
 * read.
 *
 * @module
 */
import type { RandomStream } from "../../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../../runtime/core/shape.ts";
import { chance, pick } from "../draws.ts";

/** One op of a program. Its result has a number: its place in the program. */
export interface Instruction {
  /** `input`, `parameter`, or the name of an op. */
  readonly op: string;
  /** Numbers of the inputs. */
  readonly inputs: readonly number[];
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly shape: Shape;
}

export type Program = readonly Instruction[];

/** Most elements of a result. */
const LARGEST = 20_000;
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33];

/** Ops of one input that keep its shape. */
const UNARY = [
  ...[
    "neg",
    "abs",
    "sin",
    "cos",
    "erf",
    "sqrt",
    "rsqrt",
    "log",
    "exp",
    "square",
    "power",
    "clamp",
    "scale",
    "from_one",
  ],
  ...["relu", "relu6", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "elu", "softplus", "hard_swish", "hard_sigmoid"],
  ...["leaky_relu"],
];
const BINARY = ["add", "sub", "mul", "div", "maximum", "minimum", "where"];

/** A program that grows. */
class Draft {
  readonly instructions: Instruction[] = [];

  readonly random: RandomStream;

  constructor(random: RandomStream) {
    this.random = random;
  }

  add(op: string, inputs: readonly number[], attrs: Instruction["attrs"], shape: Shape): number {
    return this.instructions.push({ op, inputs, attrs, shape }) - 1;
  }

  shape(number: number): Shape {
    return this.instructions[number]!.shape;
  }

  parameter(shape: Shape): number {
    return this.add("parameter", [], {}, shape);
  }

  /** Draws a result that `fits`, rather a late one, or returns null. */
  draw(fits: (shape: Shape) => boolean = () => true): number | null {
    const numbers = this.instructions.keys().filter((n) => fits(this.shape(n))).toArray();
    if (numbers.length === 0) return null;
    return numbers[numbers.length - 1 - Math.floor(this.random.uniform() ** 2 * numbers.length)]!;
  }

  /** Draws a whole number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + this.random.below(high - low + 1);
  }

  /** Draws indices into a dimension. */
  indices(shape: Shape, size: number): { indices: number[]; shape: Shape } {
    return { indices: Array.from({ length: sizeOf(shape) }, () => this.random.below(size)), shape };
  }
}

/** Adds an op to a draft if one of its kind fits. */
type Rule = (draft: Draft) => void;

const hasAxis = (shape: Shape) => shape.length > 0;
const isMatrix = (shape: Shape) => shape.length >= 2;
const isSmall = (shape: Shape) => shape.length > 0 && shape.length < 5 && sizeOf(shape) < LARGEST / 6;
const isImage = (shape: Shape) => shape.length === 4 && shape[2]! > 1 && shape[3]! > 1 && sizeOf(shape) < LARGEST / 3;

/** Returns a rule for ops of one input, which must fit. */
function rule(fits: (shape: Shape) => boolean, apply: (draft: Draft, x: number, shape: Shape) => void): Rule {
  return (draft) => {
    const x = draft.draw(fits);
    if (x !== null) apply(draft, x, draft.shape(x));
  };
}

/** Returns a rule for ops that keep the shape of their input. */
function same(
  ops: readonly string[],
  fits: (shape: Shape) => boolean,
  attrs: (d: Draft, shape: Shape) => object,
): Rule {
  return rule(fits, (draft, x, shape) => {
    draft.add(pick(draft.random, ops), [x], { ...attrs(draft, shape) }, shape);
  });
}

const axisOf = (draft: Draft, shape: Shape) => ({ axis: draft.random.below(shape.length) });

const binary: Rule = rule(() => true, (draft, x, shape) => {
  const { random } = draft;
  const other = chance(random, 0.6) ? draft.draw((own) => broadcast(own, shape) !== null) : null;
  const ones = shape.map((size) => chance(random, 0.35) ? 1 : size);
  const y = other ?? draft.parameter(ones.slice(random.below(ones.length + 1)));
  const result = broadcast(draft.shape(y), shape)!;
  if (sizeOf(result) > LARGEST) return;
  draft.add(pick(random, BINARY), chance(random, 0.5) ? [x, y] : [y, x], {}, result);
});

const reduction: Rule = rule(hasAxis, (draft, x, shape) => {
  const { random } = draft;
  const drawn = shape.map((_, axis) => axis).filter(() => chance(random, 0.5));
  const axes = drawn.length === 0 ? [random.below(shape.length)] : drawn;
  const keepDims = chance(random, 0.5);
  const kept = shape.flatMap((size, axis) => axes.includes(axis) ? keepDims ? [1] : [] : [size]);
  draft.add(pick(random, ["sum", "mean", "max", "min", "log_sum_exp"]), [x], { axes, keepDims }, kept);
});

const reshape: Rule = rule(() => true, (draft, x, shape) => {
  const sizes: number[] = [];
  for (let left = sizeOf(shape); left > 1;) {
    const factors = Array.from({ length: left }, (_, i) => i + 1).filter((n) => n > 1 && left % n === 0);
    const size = sizes.length === 4 ? left : pick(draft.random, factors);
    sizes.push(size);
    left /= size;
  }
  if (sizes.length < 4 && chance(draft.random, 0.3)) sizes.splice(draft.random.below(sizes.length + 1), 0, 1);
  draft.add("reshape", [x], { shape: sizes }, sizes);
});

const transpose: Rule = rule(isMatrix, (draft, x, shape) => {
  const axes = [...draft.random.permutation(shape.length)];
  draft.add("transpose", [x], { axes }, axes.map((axis) => shape[axis]!));
});

const slice: Rule = rule(hasAxis, (draft, x, shape) => {
  const ranges = shape.map((size) => {
    const begin = chance(draft.random, 0.4) ? 0 : draft.random.below(size);
    return [begin, chance(draft.random, 0.4) ? size : draft.between(begin + 1, size)] as const;
  });
  draft.add("slice", [x], { ranges }, ranges.map(([begin, end]) => end - begin));
});

const pad: Rule = rule(isSmall, (draft, x, shape) => {
  const widths = shape.map(() => chance(draft.random, 0.5) ? [0, 0] : [draft.random.below(3), draft.random.below(3)]);
  const padded = shape.map((size, axis) => size + widths[axis]![0]! + widths[axis]![1]!);
  draft.add("pad", [x], { widths, value: pick(draft.random, [0, 0.5]) }, padded);
});

const concat: Rule = rule(isSmall, (draft, x, shape) => {
  const { axis } = axisOf(draft, shape);
  const others = Array.from(
    { length: draft.between(1, 2) },
    () =>
      chance(draft.random, 0.7)
        ? draft.draw((own) => own.length === shape.length && own.every((size, d) => d === axis || size === shape[d]))!
        : draft.parameter(shape.with(axis, draft.between(1, 4))),
  );
  const parts = chance(draft.random, 0.5) ? [x, ...others] : [...others, x];
  const total = parts.reduce((sum, part) => sum + draft.shape(part)[axis]!, 0);
  draft.add("concat", parts, { axis }, shape.with(axis, total));
});

const stack: Rule = rule(isSmall, (draft, x, shape) => {
  const other = draft.draw((own) => own.join() === shape.join())!;
  const axis = draft.random.below(shape.length + 1);
  draft.add("stack", [x, other], { axis }, shape.toSpliced(axis, 0, 2));
});

const split: Rule = rule((shape) => shape.some((size) => size > 1), (draft, x, shape) => {
  const axis = pick(draft.random, shape.keys().filter((d) => shape[d]! > 1).toArray());
  const first = draft.between(1, shape[axis]! - 1);
  const sizes = [first, shape[axis]! - first];
  for (const part of pick(draft.random, [[0, 1], [0], [1]])) {
    draft.add("split", [x], { axis, sizes, part }, shape.with(axis, sizes[part]!));
  }
});

const expand: Rule = rule(isSmall, (draft, x, shape) => {
  const larger = shape.map((size) => size === 1 ? draft.between(1, 4) : size);
  const wanted = chance(draft.random, 0.5) ? larger : [draft.between(2, 3), ...larger];
  if (sizeOf(wanted) <= LARGEST) draft.add("expand", [x], { shape: wanted }, wanted);
});

const product: Rule = rule(isMatrix, (draft, x, shape) => {
  const columns = pick(draft.random, [1, 2, 3, 5, 8, 16, 19]);
  const batch = chance(draft.random, 0.5) ? [] : shape.slice(0, -2).map((size) => chance(draft.random, 0.4) ? 1 : size);
  const y = draft.parameter([...batch, shape.at(-1)!, columns]);
  draft.add("matmul", [x, y], {}, [...shape.slice(0, -1), columns]);
});

/** Products of a tensor with its own transpose. */
const gram: Rule = rule((shape) => isMatrix(shape) && shape.at(-2)! < 64, (draft, x, shape) => {
  const rank = shape.length;
  const axes = [...shape.keys().take(rank - 2), rank - 1, rank - 2];
  const y = draft.add("transpose", [x], { axes }, axes.map((axis) => shape[axis]!));
  const [rows, columns] = [shape.at(-2)!, shape.at(-1)!];
  const left = chance(draft.random, 0.5);
  const size = left ? rows : columns;
  if (sizeOf(shape) / (rows * columns) * size ** 2 > LARGEST) return;
  draft.add("matmul", left ? [x, y] : [y, x], {}, [...shape.slice(0, -2), size, size]);
});

const einsum: Rule = rule((shape) => shape.length > 0 && shape.length < 5, (draft, x, shape) => {
  const { random } = draft;
  const letters = [..."abcd"].slice(0, shape.length);
  const size = pick(random, [1, 2, 5]);
  const sizes = (letter: string) => letter === "z" ? size : shape[letters.indexOf(letter)]!;
  const shuffled = (items: readonly string[]) => [...random.permutation(items.length)].map((i) => items[i]!);
  const weight = shuffled([...letters.filter(() => chance(random, 0.5)), "z"]);
  const result = shuffled([...letters.filter(() => chance(random, 0.6)), ...chance(random, 0.8) ? ["z"] : []]);
  const y = draft.parameter(weight.map(sizes));
  const equation = `${letters.join("")},${weight.join("")}->${result.join("")}`;
  draft.add("einsum", [x, y], { equation }, result.map(sizes));
});

const take: Rule = rule(isSmall, (draft, x, shape) => {
  const { axis } = axisOf(draft, shape);
  const rows = pick(draft.random, [[3], [2, 2], [5], [1]]);
  const attrs = { axis, ...draft.indices(rows, shape[axis]!) };
  draft.add("take", [x], attrs, [...shape.slice(0, axis), ...rows, ...shape.slice(axis + 1)]);
});

const gather: Rule = rule(isSmall, (draft, x, shape) => {
  const { axis } = axisOf(draft, shape);
  const drawn = shape.map((size, d) => draft.between(1, d === axis ? 6 : size));
  draft.add("gather", [x], { axis, ...draft.indices(drawn, shape[axis]!) }, drawn);
});

const scatterAdd: Rule = rule(isSmall, (draft, x, shape) => {
  const { axis } = axisOf(draft, shape);
  const added = shape.with(axis, draft.between(1, 6));
  const source = draft.parameter(added);
  draft.add("scatter_add", [x, source], { axis, ...draft.indices(added, shape[axis]!) }, shape);
});

const convolution: Rule = rule(isImage, (draft, x, [n, channels, height, width]) => {
  const { random } = draft;
  const depthwise = chance(random, 0.3);
  const attrs = {
    channels: depthwise ? channels! * draft.between(1, 2) : pick(random, [1, 3, 4, 8]),
    kernel: [draft.between(1, 3), draft.between(1, 3)],
    stride: draft.between(1, 2),
    padding: draft.between(0, 1),
    dilation: chance(random, 0.2) ? 2 : 1,
    groups: depthwise ? channels! : 1,
    bias: chance(random, 0.5),
  };
  const places = [height!, width!].map((size, d) =>
    Math.floor((size + 2 * attrs.padding - attrs.dilation * (attrs.kernel[d]! - 1) - 1) / attrs.stride) + 1
  );
  if (places.every((size) => size > 0)) draft.add("conv2d", [x], attrs, [n!, attrs.channels, ...places]);
});

const pooling: Rule = rule(isImage, (draft, x, [n, channels, height, width]) => {
  const [stride, padding] = [draft.between(1, 2), draft.between(0, 1)];
  const places = [height!, width!].map((size) => Math.floor((size + 2 * padding - 2) / stride) + 1);
  draft.add(pick(draft.random, ["max_pool2d", "avg_pool2d"]), [x], { stride, padding }, [n!, channels!, ...places]);
});

const resizing: Rule = rule(isImage, (draft, x, [n, channels, height, width]) => {
  const images = [n!, channels!];
  if (chance(draft.random, 0.5)) {
    const size = [draft.between(1, height!), draft.between(1, width!)];
    draft.add("adaptive_avg_pool2d", [x], { size }, [...images, ...size]);
  } else {
    const attrs = pick(draft.random, [
      { mode: "nearest", alignCorners: false },
      { mode: "bilinear", alignCorners: false },
      { mode: "bilinear", alignCorners: true },
    ]);
    draft.add("upsample", [x], attrs, [...images, 2 * height!, 2 * width!]);
  }
});

const attention: Rule = rule(isImage, (draft, x, shape) => {
  const [k, v] = [0, 1].map(() => draft.draw((own) => own.join() === shape.join())!);
  draft.add("attention", [x, k!, v!], { causal: chance(draft.random, 0.5) }, shape);
});

const linear: Rule = rule((shape) => shape.length === 2 || shape.length === 3, (draft, x, shape) => {
  const units = pick(draft.random, [1, 3, 4, 8, 10, 33]);
  draft.add("linear", [x], { units, bias: chance(draft.random, 0.7) }, [...shape.slice(0, -1), units]);
});

/** One rule per kind of op; elementwise ops twice, since most programs consist of them. */
const RULES: readonly Rule[] = [
  ...[same(UNARY, () => true, () => ({})), same(UNARY, () => true, () => ({})), binary, binary],
  ...[reduction, reshape, transpose, slice, pad, concat, stack, split, expand, product, gram, einsum, linear],
  ...[take, gather, scatterAdd, convolution, pooling, resizing, attention],
  same(["softmax", "log_softmax"], hasAxis, axisOf),
  same(["cumsum"], hasAxis, (draft, shape) => ({ ...axisOf(draft, shape), reverse: chance(draft.random, 0.5) })),
  same(["tril", "triu"], isMatrix, (draft) => ({ diagonal: draft.between(-2, 2), fill: pick(draft.random, [0, -1]) })),
  same(["layer_norm", "rms_norm"], isMatrix, () => ({})),
  same(["batch_norm", "instance_norm", "prelu"], isImage, () => ({})),
];

/** Draws a program with `length` ops; the parameters that they need are extra. */
export function drawProgram(random: RandomStream, length: number): Program {
  const draft = new Draft(random);
  const rank = draft.between(1, 4);
  draft.add("input", [], {}, [
    draft.between(1, 5),
    ...Array.from({ length: rank }, () => pick(random, SIZES.slice(0, 12))),
  ]);
  // Its gradient is never zero, so that each program trains something
  draft.add("mul", [0, draft.parameter(draft.shape(0).slice(1))], {}, draft.shape(0));
  for (let i = 0; i < length; i++) pick(random, RULES)(draft);
  return draft.instructions;
}

/** Returns the shape to which NumPy broadcasts two shapes, or null. */
function broadcast(a: Shape, b: Shape): Shape | null {
  const rank = Math.max(a.length, b.length);
  const sizes = Array.from(
    { length: rank },
    (_, d) => [a[d - rank + a.length] ?? 1, b[d - rank + b.length] ?? 1] as const,
  );
  if (sizes.some(([p, q]) => p !== q && p !== 1 && q !== 1)) return null;
  return sizes.map(([p, q]) => p === 1 ? q : p);
}
