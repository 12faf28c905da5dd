/** References of reductions, and of operators along an axis. */
import type { FileAttribute } from "../../support/onnx_file.ts";
import type { NodeTensor } from "../../support/onnx_node.ts";
import {
  build,
  type DrawCase,
  EXTREMES,
  indicesOf,
  integer,
  LARGE,
  range,
  read,
  sizeOf,
  softmax,
  sum,
  transposed,
} from "./draw.ts";

const FINITE = EXTREMES.filter((x) => Number.isFinite(x) && Math.abs(x) < 1e10);
/** The elements of a tensor along axes, for an index of the rest. */
function along(x: NodeTensor, axes: readonly number[], index: readonly number[]): number[] {
  return indicesOf(axes.map((axis) => x.shape[axis]!)).map((inner) => {
    const full = [...index];
    axes.forEach((axis, i) => full[axis] = inner[i]!);
    return read(x, full);
  });
}

interface ReductionOptions {
  readonly integers?: true;
  readonly low?: number;
  readonly extremes?: readonly number[];
  readonly tolerance?: number;
  /** Largest error as a part of the sum of magnitudes. */
  readonly slack?: number;
}

function reduction(type: string, of: (values: number[]) => number, options: ReductionOptions = {}): [string, DrawCase] {
  return [type, (draw) => {
    const shape = draw.shape(1);
    const isInteger = options.integers === true && draw.chance(0.4);
    const x = isInteger
      ? draw.integers(
        shape,
        -5,
        5,
        type === "ReduceMax" || type === "ReduceMin" || type === "ReduceSum" ? LARGE.slice(0, 2) : [],
      )
      : draw.floats(shape, { extremes: [], ...options });
    const all = draw.chance(0.2);
    const { at, given } = all ? { at: range(shape.length), given: [] } : draw.axes(shape.length);
    const keepdims = draw.whole(0, 1);
    const asInput = draw.chance() || type === "ReduceSum";
    const kept = range(shape.length).filter((d) => keepdims === 1 || !at.includes(d));
    const want = build(kept.map((d) => at.includes(d) ? 1 : shape[d]!), (index) => {
      const full = new Array<number>(shape.length).fill(0);
      kept.forEach((d, i) => full[d] = index[i]!);
      const value = of(along(x, at, full));
      return isInteger ? Math.trunc(value) : value;
    }, x.type);
    const attributes: Record<string, FileAttribute> = { keepdims, ...asInput || all ? {} : { axes: given } };
    const slack = (options.slack ?? 0) * sum(x.values.map(Math.abs).filter(Number.isFinite));
    return {
      opset: asInput ? 18 : 11,
      inputs: asInput && !all ? [x, integer(given)] : [x],
      attributes,
      want: [want],
      elements: options.tolerance ?? 1e-5,
      slack,
    };
  }];
}

const total = (values: number[]) => values.reduce((a, b) => a + b, 0);
const logSumExp = (values: number[]) => {
  const largest = Math.max(...values);
  return Number.isFinite(largest) ? largest + Math.log(total(values.map((v) => Math.exp(v - largest)))) : largest;
};

function place(type: "ArgMax" | "ArgMin"): [string, DrawCase] {
  return [type, (draw) => {
    const shape = draw.shape(1);
    const x = draw.chance(0.4)
      ? draw.integers(shape, -3, 3, [...LARGE, 2 ** 24 + 2])
      : draw.floats(shape, { extremes: EXTREMES });
    const { at, given } = draw.axis(shape.length);
    const [keepdims, last] = [draw.whole(0, 1), draw.whole(0, 1)];
    const kept = range(shape.length).filter((d) => keepdims === 1 || d !== at);
    const want = build(kept.map((d) => d === at ? 1 : shape[d]!), (index) => {
      const full = new Array<number>(shape.length).fill(0);
      kept.forEach((d, i) => full[d] = index[i]!);
      const values = along(x, [at], full).map((value) => value + 0);
      const best = type === "ArgMax" ? Math.max(...values) : Math.min(...values);
      return last === 1 ? values.findLastIndex((v) => v === best) : values.findIndex((v) => v === best);
    }, "int64");
    return { inputs: [x], attributes: { axis: given, keepdims, select_last_index: last }, want: [want] };
  }];
}

const cumsum: DrawCase = (draw) => {
  const shape = draw.shape(1);
  const isInteger = draw.chance(0.4);
  const x = isInteger
    ? draw.integers(shape, -9, 9, LARGE.slice(0, 2))
    : draw.floats(shape, { extremes: [1e9, -1e9, 3e8] });
  const { at, given } = draw.axis(shape.length);
  const [exclusive, reverse] = [draw.whole(0, 1), draw.whole(0, 1)];
  const want = build(shape, (index) => {
    const line = range(shape[at]!).filter((i) => reverse === 1 ? i > index[at]! : i < index[at]!);
    const places = exclusive === 1 ? line : reverse === 1 ? [index[at]!, ...line] : [...line, index[at]!];
    // In the order in which a device adds, in f32
    const ordered = reverse === 1 ? places.toSorted((a, b) => b - a) : places;
    const next = (a: number, i: number) =>
      isInteger ? a + read(x, index.with(at, i)) : Math.fround(a + read(x, index.with(at, i)));
    return ordered.reduce(next, 0);
  }, x.type);
  const axis: NodeTensor = { shape: [], values: [given], type: "int64", constant: true };
  return { inputs: [x, axis], attributes: { exclusive, reverse }, want: [want] };
};

const topK: DrawCase = (draw) => {
  const outer = draw.shape(1, 3, 4);
  const { at, given } = draw.axis(outer.length);
  const shape = outer.with(at, draw.whole(1, draw.chance(0.3) ? 70 : 6));
  const x = draw.chance(0.3) ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape, { extremes: EXTREMES });
  const k = draw.whole(1, shape[at]!);
  const largest = draw.whole(0, 1);
  const places = (index: number[]) => {
    const values = along(x, [at], index);
    return range(values.length).sort((a, b) =>
      values[a] === values[b] ? a - b : (largest === 1) === (values[a]! > values[b]!) ? -1 : 1
    );
  };
  const result = shape.with(at, k);
  return {
    inputs: [x, integer([k])],
    attributes: { axis: given, largest, sorted: 1 },
    want: [
      build(result, (index) => along(x, [at], index)[places(index)[index[at]!]!]!, x.type),
      build(result, (index) => places(index)[index[at]!]!, "int64"),
    ],
  };
};

function overAxis(
  type: string,
  of: (row: NodeTensor) => NodeTensor,
  slack: number,
  extremes: readonly number[],
): [string, DrawCase] {
  return [type, (draw) => {
    const shape = draw.shape(1);
    const x = draw.floats(shape, { extremes });
    const { at, given } = draw.axis(shape.length);
    if (draw.chance(0.3)) {
      const rows = { shape: [sizeOf(shape.slice(0, at)), sizeOf(shape.slice(at))], values: x.values };
      return {
        type,
        opset: 11,
        inputs: [x],
        attributes: { axis: given },
        want: [{ shape, values: of(rows).values }],
        elements: 1e-5,
        slack,
      };
    }
    const order = [...range(shape.length).filter((d) => d !== at), at];
    const back = range(shape.length).map((d) => order.indexOf(d));
    return {
      inputs: [x],
      attributes: { axis: given },
      want: [transposed(of(transposed(x, order)), back)],
      elements: 1e-5,
      slack,
    };
  }];
}

const rowwise = (of: (row: number[]) => number[]) => (x: NodeTensor): NodeTensor => {
  const n = x.shape.at(-1)!;
  return {
    shape: x.shape,
    values: range(x.values.length / n).flatMap((row) => of(x.values.slice(row * n, (row + 1) * n))),
  };
};

const variance: DrawCase = (draw) => {
  const x = draw.floats([draw.whole(1, 3), draw.whole(1, 3), draw.whole(2, 4), draw.whole(2, 4)]);
  const axes = draw.chance() ? [0, 2, 3] : [2, 3];
  const want = build(x.shape, (index) => {
    const values = along(x, axes, index);
    const mean = sum(values) / values.length;
    return (read(x, index) - mean) / (Math.sqrt(sum(values.map((v) => (v - mean) ** 2)) / values.length) + 1e-9);
  });
  return { inputs: [x], attributes: { axes }, want: [want], elements: 1e-4, slack: 1e-4 };
};

export const REDUCING: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  reduction("ReduceSum", total, { integers: true, slack: 1e-6 }),
  reduction("ReduceMean", (values) => total(values) / values.length, { integers: true, slack: 1e-6 }),
  reduction("ReduceMax", (values) => Math.max(...values), { integers: true, extremes: EXTREMES, tolerance: 0 }),
  reduction("ReduceMin", (values) => Math.min(...values), { integers: true, extremes: EXTREMES, tolerance: 0 }),
  reduction("ReduceProd", (values) => values.reduce((a, b) => a * b, 1), { low: 0.5, tolerance: 1e-4 }),
  reduction("ReduceL1", (values) => total(values.map(Math.abs)), { integers: true, extremes: FINITE }),
  reduction("ReduceL2", (values) => Math.sqrt(total(values.map((v) => v * v))), {
    // Squares of smaller numbers are 0
    extremes: FINITE.filter((x) => Math.abs(x) > 1e-15),
  }),
  reduction("ReduceSumSquare", (values) => total(values.map((v) => v * v)), { integers: true, extremes: FINITE }),
  reduction("ReduceLogSum", (values) => Math.log(total(values)), { low: 1 }),
  reduction("ReduceLogSumExp", logSumExp, { extremes: [...FINITE, -Infinity, 3e38], tolerance: 1e-5, slack: 1e-6 }),
  place("ArgMax"),
  place("ArgMin"),
  ["CumSum", cumsum],
  ["TopK", topK],
  overAxis("Softmax", softmax, 1e-6, [...FINITE, -3e38]),
  overAxis("LogSoftmax", rowwise((row) => row.map((v) => v - logSumExp(row))), 1e-5, FINITE),
  overAxis(
    "Hardmax",
    rowwise((row) => row.map((_, i) => i === row.indexOf(Math.max(...row)) ? 1 : 0)),
    0,
    EXTREMES.map((x) => x + 0),
  ),
  ["MeanVarianceNormalization", variance],
]);
