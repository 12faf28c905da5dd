/** References of operators that read and write by index. */
import type { NodeTensor } from "../../support/onnx_node.ts";
import {
  any,
  build,
  constant,
  type Draw,
  type DrawCase,
  indicesOf,
  integer,
  LARGE,
  range,
  read,
  sizeOf,
} from "./draw.ts";

/** Draws indices of `size` places, some of them negative. */
function places(draw: Draw, shape: readonly number[], size: number): NodeTensor {
  return { ...draw.integers(shape, -size, size - 1), constant: draw.chance(0.3) };
}

const wrap = (index: number, size: number) => index < 0 ? index + size : index;

const gather: DrawCase = (draw) => {
  const x = any(draw, draw.shape(1));
  const { at, given } = draw.axis(x.shape.length);
  const indices = places(draw, draw.shape(0, 2, 4), x.shape[at]!);
  const rank = indices.shape.length;
  const want = build([...x.shape.slice(0, at), ...indices.shape, ...x.shape.slice(at + 1)], (index) => {
    const place = wrap(read(indices, index.slice(at, at + rank)), x.shape[at]!);
    return read(x, [...index.slice(0, at), place, ...index.slice(at + rank)]);
  }, x.type);
  return { inputs: [x, indices], attributes: { axis: given }, want: [want] };
};

const gatherElements: DrawCase = (draw) => {
  const x = any(draw, draw.shape(1));
  const { at, given } = draw.axis(x.shape.length);
  const indices = places(draw, x.shape.map((n, d) => d === at ? draw.whole(1, 6) : draw.whole(1, n)), x.shape[at]!);
  const want = build(
    indices.shape,
    (index) => read(x, index.with(at, wrap(read(indices, index), x.shape[at]!))),
    x.type,
  );
  return { inputs: [x, indices], attributes: { axis: given }, want: [want] };
};

/** Draws indices of the first dimensions of a shape after `batch` of them, `count` for each of a list. */
function tuples(
  draw: Draw,
  rows: readonly number[],
  shape: readonly number[],
  batch: number,
  count: number,
): NodeTensor {
  const values = range(sizeOf(rows)).flatMap(() =>
    range(count).map((i) => draw.whole(-shape[batch + i]!, shape[batch + i]! - 1))
  );
  return { shape: [...rows, count], values, type: "int64", constant: draw.chance(0.3) };
}

const gatherND: DrawCase = (draw) => {
  const x = any(draw, draw.shape(2));
  const batch = draw.whole(0, 1);
  const count = draw.whole(1, x.shape.length - batch);
  const rows = [...x.shape.slice(0, batch), ...draw.shape(0, 2, 4)];
  const indices = tuples(draw, rows, x.shape, batch, count);
  const want = build([...rows, ...x.shape.slice(batch + count)], (index) => {
    const row = index.slice(0, rows.length);
    const own = range(count).map((i) => wrap(read(indices, [...row, i]), x.shape[batch + i]!));
    return read(x, [...index.slice(0, batch), ...own, ...index.slice(rows.length)]);
  }, x.type);
  return { inputs: [x, indices], attributes: { batch_dims: batch }, want: [want] };
};

const scatterElements = (type: string): DrawCase => (draw) => {
  const x = any(draw, draw.shape(1));
  const { at, given } = draw.axis(x.shape.length);
  const isSum = type === "ScatterElements" && x.type !== "bool" && draw.chance(0.3);
  const shape = x.shape.map((n, d) => draw.whole(1, draw.chance() && d !== at ? n : d === at ? n : n));
  const lines = indicesOf(shape.with(at, 1));
  const values = new Array<number>(sizeOf(shape)).fill(0);
  const indices: NodeTensor = { shape, values, type: "int64", constant: draw.chance(0.3) };
  // Without a sum, no place is written twice
  for (const line of lines) {
    const order = draw.order(x.shape[at]!);
    for (const i of range(shape[at]!)) {
      const place = isSum ? draw.whole(0, x.shape[at]! - 1) : order[i]!;
      values[line.with(at, i).reduce((sum, index, d) => sum * shape[d]! + index, 0)] = draw.chance()
        ? place
        : place - x.shape[at]!;
    }
  }
  const finite = isSum && x.type !== "int64" ? draw.floats(x.shape) : x;
  const updates = finite.type === "int64"
    ? draw.integers(shape, -9, 9, LARGE.slice(0, 2))
    : finite.type === "bool"
    ? draw.booleans(shape)
    : draw.floats(shape);
  const result = [...finite.values];
  for (const index of indicesOf(shape)) {
    const to = index.with(at, wrap(read(indices, index), x.shape[at]!)).reduce((sum, i, d) => sum * x.shape[d]! + i, 0);
    result[to] = isSum ? result[to]! + read(updates, index) : read(updates, index);
  }
  return {
    inputs: [finite, indices, updates],
    attributes: { axis: given, ...isSum ? { reduction: "add" } : {} },
    want: [{ ...finite, values: result }],
    slack: isSum ? 1e-5 : 0,
  };
};

const scatterND: DrawCase = (draw) => {
  const given = any(draw, draw.shape(1));
  const isSum = given.type !== "bool" && draw.chance(0.3);
  const x = isSum && given.type !== "int64" ? draw.floats(given.shape) : given;
  const count = draw.whole(1, x.shape.length);
  const cells = indicesOf(x.shape.slice(0, count));
  const order = draw.order(cells.length);
  const rows = draw.whole(1, Math.min(6, cells.length));
  const own = range(rows).map((i) => isSum ? draw.pick(cells) : cells[order[i]!]!);
  const indices: NodeTensor = {
    shape: [rows, count],
    values: own.flatMap((cell) => cell.map((i, d) => draw.chance() ? i : i - x.shape[d]!)),
    type: "int64",
    constant: draw.chance(0.3),
  };
  const shape = [rows, ...x.shape.slice(count)];
  const updates = x.type === "int64"
    ? draw.integers(shape, -9, 9, LARGE.slice(0, 2))
    : x.type === "bool"
    ? draw.booleans(shape)
    : draw.floats(shape);
  const result = [...x.values];
  for (const index of indicesOf(shape)) {
    const to = [...own[index[0]!]!, ...index.slice(1)].reduce((sum, i, d) => sum * x.shape[d]! + i, 0);
    result[to] = isSum ? result[to]! + read(updates, index) : read(updates, index);
  }
  return {
    inputs: [x, indices, updates],
    attributes: isSum ? { reduction: "add" } : {},
    want: [{ ...x, values: result }],
    slack: isSum ? 1e-5 : 0,
  };
};

const oneHot: DrawCase = (draw) => {
  const depth = draw.whole(1, 6);
  const indices = draw.integers(draw.shape(1, 3, 4), -depth - 1, depth);
  const isInteger = draw.chance(0.4);
  const values: NodeTensor = isInteger
    ? integer([draw.whole(-3, 3), 2 ** 24 + 1])
    : constant(draw.floats([2], { extremes: [1e30, -1e30, 0, -Infinity] }));
  const axis = draw.whole(0, indices.shape.length);
  const want = build(indices.shape.toSpliced(axis, 0, depth), (index) => {
    const place = wrap(read(indices, index.toSpliced(axis, 1)), depth);
    return values.values[place === index[axis] ? 1 : 0]!;
  }, values.type);
  const given = draw.chance() ? axis : axis - indices.shape.length - 1;
  return { inputs: [indices, integer([depth], []), values], attributes: { axis: given }, want: [want] };
};

export const INDEXING: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["Gather", gather],
  ["GatherElements", gatherElements],
  ["GatherND", gatherND],
  ["Scatter", scatterElements("Scatter")],
  ["ScatterElements", scatterElements("ScatterElements")],
  ["ScatterND", scatterND],
  ["OneHot", oneHot],
  ["Compress", (draw) => {
    const x = any(draw, draw.shape(1));
    const { at, given } = draw.axis(x.shape.length);
    const n = draw.whole(1, x.shape[at]!);
    const kept = range(n).map(() => draw.whole(0, 1));
    kept[draw.whole(0, n - 1)] = 1;
    const taken = range(n).filter((i) => kept[i] === 1);
    const condition: NodeTensor = { shape: [n], values: kept, type: "bool", constant: true };
    return {
      inputs: [x, condition],
      attributes: { axis: given },
      want: [build(x.shape.with(at, taken.length), (index) => read(x, index.with(at, taken[index[at]!]!)), x.type)],
    };
  }],
  ["ReverseSequence", (draw) => {
    const x = any(draw, draw.shape(2));
    const time = draw.whole(0, 1);
    const lengths = range(x.shape[1 - time]!).map(() => draw.whole(1, x.shape[time]!));
    const want = build(x.shape, (index) => {
      const [t, length] = [index[time]!, lengths[index[1 - time]!]!];
      return read(x, t < length ? index.with(time, length - 1 - t) : index);
    }, x.type);
    return { inputs: [x, integer(lengths)], attributes: { time_axis: time, batch_axis: 1 - time }, want: [want] };
  }],
]);
