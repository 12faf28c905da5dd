/** References of operators that move elements. */
import type { FileTensor } from "../../support/onnx_file.ts";
import type { NodeTensor } from "../../support/onnx_node.ts";
import {
  broadcastOf,
  build,
  constant,
  type Draw,
  type DrawCase,
  EXTREMES,
  indicesOf,
  LARGE,
  range,
  read,
  sizeOf,
  transposed,
} from "./draw.ts";

const integer = (values: readonly number[], shape = [values.length]): NodeTensor => ({
  shape,
  values,
  type: "int64",
  constant: true,
});

/** Draws a tensor of floats, integers or truth values. */
function any(draw: Draw, shape: readonly number[]): NodeTensor {
  return draw.pick([
    () => draw.floats(shape, { extremes: EXTREMES }),
    () => draw.integers(shape, -9, 9, LARGE),
    () => draw.booleans(shape),
  ])();
}

/** Draws indices of `size` places, of which some are negative. */
function places(draw: Draw, shape: readonly number[], size: number): NodeTensor {
  return { ...draw.integers(shape, -size, size - 1), constant: draw.chance(0.3) };
}

const wrap = (index: number, size: number) => index < 0 ? index + size : index;
const same = (x: NodeTensor, shape: readonly number[]): FileTensor => ({ ...x, shape });

const gather: DrawCase = (draw) => {
  const x = any(draw, draw.shape(1));
  const { at, given } = draw.axis(x.shape.length);
  const indices = places(draw, draw.shape(0, 2, 4), x.shape[at]!);
  const rank = indices.shape.length;
  const want = build([...x.shape.slice(0, at), ...indices.shape, ...x.shape.slice(at + 1)], (index) => {
    const place = wrap(read(indices, index.slice(at, at + rank)), x.shape[at]!);
    return read(x, [...index.slice(0, at), place, ...index.slice(at + rank)]);
  }, x.type);
  return { type: "Gather", inputs: [x, indices], attributes: { axis: given }, want: [want], elements: 0 };
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
  return { type: "GatherElements", inputs: [x, indices], attributes: { axis: given }, want: [want], elements: 0 };
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
  return { type: "GatherND", inputs: [x, indices], attributes: { batch_dims: batch }, want: [want], elements: 0 };
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
    type,
    inputs: [finite, indices, updates],
    attributes: { axis: given, ...isSum ? { reduction: "add" } : {} },
    want: [{ ...finite, values: result }],
    elements: 0,
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
    type: "ScatterND",
    inputs: [x, indices, updates],
    attributes: isSum ? { reduction: "add" } : {},
    want: [{ ...x, values: result }],
    elements: 0,
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
  return {
    type: "OneHot",
    inputs: [indices, integer([depth], []), values],
    attributes: { axis: given },
    want: [want],
    elements: 0,
  };
};

const slice: DrawCase = (draw) => {
  const x = any(draw, draw.shape(1));
  const { at, given } = draw.axes(x.shape.length);
  const ranges = at.map((axis) => {
    const n = x.shape[axis]!;
    const first = draw.whole(0, n - 1);
    const step = draw.chance() ? draw.whole(1, 3) : -draw.whole(1, 3);
    const last = step > 0
      ? draw.pick([draw.whole(first + 1, n), n + 5])
      : draw.pick([-n - 5, draw.whole(-1, first - 1)]);
    // An end before the first place can only be written as one far below
    const end = step < 0 && last === -1 ? -n - 1 : last;
    return {
      start: draw.chance() ? first : first - n,
      end,
      step,
      first,
      stop: step > 0 ? Math.min(n, last) : Math.max(-1, last),
    };
  });
  const list = (axis: number) => {
    const i = at.indexOf(axis);
    if (i < 0) return range(x.shape[axis]!);
    const { first, stop, step } = ranges[i]!;
    return range(x.shape[axis]!).map((k) => first + k * step).filter((place) => step > 0 ? place < stop : place > stop);
  };
  const lists = x.shape.map((_, axis) => list(axis));
  const want = build(
    lists.map((places) => places.length),
    (index) => read(x, index.map((i, d) => lists[d]![i]!)),
    x.type,
  );
  const [starts, ends, steps] = [
    ranges.map(({ start }) => start),
    ranges.map(({ end }) => end),
    ranges.map(({ step }) => step),
  ];
  if (draw.chance(0.3) && steps.every((step) => step === 1)) {
    return { type: "Slice", opset: 9, inputs: [x], attributes: { starts, ends, axes: at }, want: [want], elements: 0 };
  }
  return {
    type: "Slice",
    inputs: [x, integer(starts), integer(ends), integer(given), integer(steps)],
    want: [want],
    elements: 0,
  };
};

const pad: DrawCase = (draw) => {
  const x = draw.pick([
    () => draw.floats(draw.shape(1), { extremes: EXTREMES }),
    () => draw.integers(draw.shape(1), -9, 9, LARGE),
  ])();
  const mode = draw.pick(["constant", "edge", "reflect", "wrap"]);
  const pads = x.shape.map((n): [number, number] => {
    const most = mode === "reflect" ? n - 1 : 3;
    return [draw.whole(0, Math.min(most, 3)), draw.whole(0, Math.min(most, 3))];
  });
  const value = draw.chance() ? 0 : x.type === "int64" ? draw.pick([7, ...LARGE]) : draw.pick([1.5, -Infinity]);
  const shape = x.shape.map((n, d) => n + pads[d]![0] + pads[d]![1]);
  const want = build(shape, (index) => {
    const from = index.map((i, d) => i - pads[d]![0]);
    const isInside = from.every((i, d) => i >= 0 && i < x.shape[d]!);
    if (isInside) return read(x, from);
    if (mode === "constant") return value;
    return read(
      x,
      from.map((i, d) => {
        const n = x.shape[d]!;
        if (mode === "edge") return Math.min(n - 1, Math.max(0, i));
        if (mode === "wrap") return ((i % n) + n) % n;
        return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
      }),
    );
  }, x.type);
  const widths = [...pads.map(([before]) => before), ...pads.map(([, after]) => after)];
  const fill: NodeTensor = x.type === "int64" ? integer([value], []) : constant({ shape: [], values: [value] });
  return {
    type: "Pad",
    opset: 19,
    attributes: { mode },
    inputs: [x, integer(widths), mode === "constant" ? fill : null],
    want: [want],
    elements: 0,
  };
};

const concat: DrawCase = (draw) => {
  const shape = draw.shape(1);
  const { at, given } = draw.axis(shape.length);
  const kind = draw.whole(0, 2);
  const inputs = range(draw.whole(1, 4)).map(() => {
    const own = shape.with(at, draw.whole(1, 3));
    return kind === 0
      ? draw.floats(own, { extremes: EXTREMES })
      : kind === 1
      ? draw.integers(own, -9, 9, LARGE)
      : draw.booleans(own);
  });
  const starts = inputs.map((_, i) => inputs.slice(0, i).reduce((sum, x) => sum + x.shape[at]!, 0));
  const want = build(shape.with(at, inputs.reduce((sum, x) => sum + x.shape[at]!, 0)), (index) => {
    const i = starts.findLastIndex((start) => start <= index[at]!);
    return read(inputs[i]!, index.with(at, index[at]! - starts[i]!));
  }, inputs[0]!.type);
  return { type: "Concat", inputs, attributes: { axis: given }, want: [want], elements: 0 };
};

const split: DrawCase = (draw) => {
  const sizes = range(draw.whole(1, 3)).map(() => draw.whole(1, 3));
  const shape = draw.shape(1);
  const { at, given } = draw.axis(shape.length);
  const x = any(draw, shape.with(at, sizes.reduce((a, b) => a + b)));
  const want = sizes.map((size, i) => {
    const start = sizes.slice(0, i).reduce((a, b) => a + b, 0);
    return build(shape.with(at, size), (index) => read(x, index.with(at, index[at]! + start)), x.type);
  });
  const asInput = draw.chance();
  return {
    type: "Split",
    opset: asInput ? 13 : 11,
    inputs: asInput ? [x, integer(sizes)] : [x],
    attributes: { axis: given, ...asInput ? {} : { split: sizes } },
    want,
    elements: 0,
  };
};

const reshape: DrawCase = (draw) => {
  const x = any(draw, draw.shape(1));
  const order = draw.pick([[sizeOf(x.shape)], [...x.shape, 1], [1, ...x.shape], [
    x.shape[0]!,
    sizeOf(x.shape.slice(1)),
  ]]);
  const given = [...order];
  const free = draw.whole(0, given.length - 1);
  if (draw.chance()) given[free] = -1;
  return { type: "Reshape", inputs: [x, integer(given)], want: [same(x, order)], elements: 0 };
};

const triangle: DrawCase = (draw) => {
  const x = any(draw, draw.shape(2));
  const [k, upper] = [draw.whole(-3, 3), draw.whole(0, 1)];
  const want = build(x.shape, (index) => {
    const distance = index.at(-1)! - index.at(-2)!;
    return (upper === 1 ? distance >= k : distance <= k) ? read(x, index) : 0;
  }, x.type);
  return { type: "Trilu", inputs: [x, integer([k], [])], attributes: { upper }, want: [want], elements: 0 };
};

const depth = (type: string): DrawCase => (draw) => {
  const block = draw.whole(1, 3);
  const [n, c, h, w] = [draw.whole(1, 2), draw.whole(1, 3), draw.whole(1, 3), draw.whole(1, 3)];
  const mode = draw.pick(["DCR", "CRD"]);
  const large = any(draw, [n, c, h * block, w * block]);
  const isCrd = type === "DepthToSpace" && mode === "CRD";
  // Channels of the deep form by the pixel of the block and the channel of the wide form
  const channel = (i: number, j: number, own: number) =>
    isCrd ? own * block ** 2 + i * block + j : (i * block + j) * c + own;
  const deep = build([n, c * block ** 2, h, w], ([at, wanted, y, x]) => {
    for (const [i, j, own] of indicesOf([block, block, c])) {
      if (channel(i!, j!, own!) === wanted) return read(large, [at!, own!, y! * block + i!, x! * block + j!]);
    }
    return NaN;
  }, large.type);
  const [input, want] = type === "DepthToSpace" ? [deep, large] : [large, deep];
  return {
    type,
    inputs: [input],
    attributes: { blocksize: block, ...type === "DepthToSpace" ? { mode } : {} },
    want: [want],
    elements: 0,
  };
};

const squeezed: DrawCase = (draw) => {
  const shape = draw.shape(1).map((n) => draw.chance() ? 1 : n);
  const ones = range(shape.length).filter((d) => shape[d] === 1);
  const x = any(draw, shape);
  const axes = ones.filter(() => draw.chance());
  const all = axes.length === 0;
  const gone = all ? ones : axes;
  const want = same(x, shape.filter((_, d) => !gone.includes(d)));
  const given = axes.map((axis) => draw.chance() ? axis : axis - shape.length);
  if (all) return { type: "Squeeze", inputs: [x], want: [want], elements: 0 };
  return draw.chance()
    ? { type: "Squeeze", inputs: [x, integer(given)], want: [want], elements: 0 }
    : { type: "Squeeze", opset: 11, inputs: [x], attributes: { axes: given }, want: [want], elements: 0 };
};

const resize: DrawCase = (draw) => {
  const isInteger = draw.chance(0.3);
  const shape = [1, draw.whole(1, 2), draw.whole(1, 5), draw.whole(1, 5)];
  const x = isInteger ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape);
  const [h, w] = [draw.whole(1, 8), draw.whole(1, 8)];
  const mode = isInteger ? "nearest" : draw.pick(["nearest", "linear"]);
  const places = draw.pick(["half_pixel", "asymmetric", "align_corners"]);
  const rounding = draw.pick(["floor", "ceil", "round_prefer_floor"]);
  const result = [1, shape[1]!, h, w];
  const place = (i: number, d: number) => {
    const [from, to] = [shape[d]!, result[d]!];
    const scale = to / from;
    return places === "half_pixel"
      ? (i + 0.5) / scale - 0.5
      : places === "asymmetric"
      ? i / scale
      : to === 1
      ? 0
      : i * (from - 1) / (to - 1);
  };
  const inside = (i: number, d: number) => Math.min(shape[d]! - 1, Math.max(0, i));
  const near = (p: number) => {
    const exact = Math.abs(p - Math.round(p)) < 1e-5 ? Math.round(p) : p;
    return rounding === "floor" ? Math.floor(exact) : rounding === "ceil" ? Math.ceil(exact) : Math.ceil(exact - 0.5);
  };
  const want = build(result, ([n, c, i, j]) => {
    const [y, z] = [place(i!, 2), place(j!, 3)];
    if (mode === "nearest") return read(x, [n!, c!, inside(near(y), 2), inside(near(z), 3)]);
    const [top, left] = [Math.floor(y), Math.floor(z)];
    return [0, 1].flatMap((a) =>
      [0, 1].map((b) =>
        (a === 1 ? y - top : 1 - y + top) * (b === 1 ? z - left : 1 - z + left) *
        read(x, [n!, c!, inside(top + a, 2), inside(left + b, 3)])
      )
    ).reduce((a, b) => a + b);
  }, x.type);
  return {
    type: "Resize",
    opset: 13,
    inputs: [x, null, null, integer(result)],
    attributes: { mode, coordinate_transformation_mode: places, nearest_mode: rounding },
    want: [want],
    elements: isInteger ? 0 : 1e-4,
    slack: isInteger ? 0 : 1e-4,
  };
};

export const MOVING: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["Gather", gather],
  ["GatherElements", gatherElements],
  ["GatherND", gatherND],
  ["Scatter", scatterElements("Scatter")],
  ["ScatterElements", scatterElements("ScatterElements")],
  ["ScatterND", scatterND],
  ["OneHot", oneHot],
  ["Slice", slice],
  ["Pad", pad],
  ["Concat", concat],
  ["Split", split],
  ["Reshape", reshape],
  ["Trilu", triangle],
  ["DepthToSpace", depth("DepthToSpace")],
  ["SpaceToDepth", depth("SpaceToDepth")],
  ["Squeeze", squeezed],
  ["Resize", resize],
  ["Upsample", (draw) => {
    const x = draw.floats([1, 2, draw.whole(1, 4), draw.whole(1, 4)]);
    const [a, b] = [draw.whole(1, 3), draw.whole(1, 3)];
    const want = build(
      [1, 2, x.shape[2]! * a, x.shape[3]! * b],
      ([n, c, i, j]) => read(x, [n!, c!, Math.floor(i! / a), Math.floor(j! / b)]),
    );
    return {
      type: "Upsample",
      opset: 9,
      inputs: [x, constant({ shape: [4], values: [1, 1, a, b] })],
      attributes: { mode: "nearest" },
      want: [want],
      elements: 0,
    };
  }],
  ["Unsqueeze", (draw) => {
    const x = any(draw, draw.shape());
    const rank = x.shape.length + draw.whole(1, 2);
    const axes = draw.order(rank).slice(0, rank - x.shape.length);
    const sizes = x.shape.values();
    const shape = range(rank).map((d) => axes.includes(d) ? 1 : sizes.next().value!);
    const given = axes.map((axis) => draw.chance() ? axis : axis - rank);
    const isEarly = draw.chance(0.3);
    return {
      type: "Unsqueeze",
      opset: isEarly ? 11 : 13,
      inputs: isEarly ? [x] : [x, integer(given)],
      attributes: isEarly ? { axes: given } : {},
      want: [same(x, shape)],
      elements: 0,
    };
  }],
  ["Flatten", (draw) => {
    const x = any(draw, draw.shape(1));
    const axis = draw.whole(0, x.shape.length);
    const given = axis < x.shape.length && draw.chance() ? axis - x.shape.length : axis;
    return {
      type: "Flatten",
      inputs: [x],
      attributes: { axis: given },
      want: [same(x, [sizeOf(x.shape.slice(0, axis)), sizeOf(x.shape.slice(axis))])],
      elements: 0,
    };
  }],
  ["Identity", (draw) => {
    const x = any(draw, draw.shape());
    return { type: "Identity", inputs: [x], want: [x], elements: 0 };
  }],
  ["Transpose", (draw) => {
    const x = any(draw, draw.shape(1));
    const perm = draw.chance(0.2) ? null : draw.order(x.shape.length);
    return {
      type: "Transpose",
      inputs: [x],
      attributes: perm === null ? {} : { perm },
      want: [transposed(x, perm ?? range(x.shape.length).reverse())],
      elements: 0,
    };
  }],
  ["Expand", (draw) => {
    const x = any(draw, draw.shape().map((n) => draw.chance() ? 1 : n));
    const target = [...draw.shape(0, 2, 3), ...x.shape.map((n) => n === 1 ? draw.whole(1, 4) : draw.pick([1, n]))];
    return {
      type: "Expand",
      inputs: [x, integer(target)],
      want: [build(broadcastOf([x.shape, target]), (index) => read(x, index), x.type)],
      elements: 0,
    };
  }],
  ["Tile", (draw) => {
    const x = any(draw, draw.shape(1, 3, 4));
    const repeats = x.shape.map(() => draw.whole(1, 3));
    const want = build(
      x.shape.map((n, d) => n * repeats[d]!),
      (index) => read(x, index.map((i, d) => i % x.shape[d]!)),
      x.type,
    );
    return { type: "Tile", inputs: [x, integer(repeats)], want: [want], elements: 0 };
  }],
  ["Shape", (draw) => {
    const x = draw.floats(draw.shape(1));
    const [start, end] = [draw.whole(-3, 1), draw.whole(2, 5)];
    return {
      type: "Shape",
      opset: 15,
      inputs: [x],
      attributes: { start, end },
      want: [integer(x.shape.slice(start, end))],
      elements: 0,
    };
  }],
  ["Size", (draw) => {
    const x = draw.floats(draw.shape());
    return { type: "Size", inputs: [x], want: [integer([sizeOf(x.shape)], [])], elements: 0 };
  }],
  ["Constant", (draw) => {
    const tensor = draw.chance()
      ? draw.floats(draw.shape(), { extremes: EXTREMES })
      : draw.integers(draw.shape(), -9, 9, [...LARGE, 2 ** 40]);
    return { type: "Constant", inputs: [], attributes: { value: { tensor } }, want: [tensor], elements: 0 };
  }],
  ["ConstantOfShape", (draw) => {
    const shape = draw.shape(1);
    const tensor = draw.chance() ? draw.floats([1]) : draw.integers([1], -9, 9);
    return {
      type: "ConstantOfShape",
      inputs: [integer(shape)],
      attributes: { value: { tensor } },
      want: [build(shape, () => tensor.values[0]!, tensor.type)],
      elements: 0,
    };
  }],
  ["EyeLike", (draw) => {
    const x = any(draw, [draw.whole(1, 5), draw.whole(1, 5)]);
    const k = draw.whole(-2, 2);
    const dtype = draw.pick([null, 1, 7] as const);
    const type = dtype === null ? x.type : dtype === 7 ? "int64" as const : "float32" as const;
    return {
      type: "EyeLike",
      inputs: [x],
      attributes: { k, ...dtype === null ? {} : { dtype } },
      want: [build(x.shape, ([i, j]) => j! - i! === k ? 1 : 0, type)],
      elements: 0,
    };
  }],
  ["NonZero", (draw) => {
    const x = constant(draw.integers(draw.shape(1), 0, 1));
    const found = indicesOf(x.shape).filter((index) => read(x, index) !== 0);
    return {
      type: "NonZero",
      inputs: [x],
      want: [integer(x.shape.flatMap((_, d) => found.map((index) => index[d]!)), [x.shape.length, found.length])],
      elements: 0,
    };
  }],
  ["Range", (draw) => {
    const [start, delta, count] = [draw.whole(-9, 9), draw.pick([1, 2, -1, -3]), draw.whole(1, 9)];
    return {
      type: "Range",
      inputs: [start, start + delta * count, delta].map((value) => integer([value], [])),
      want: [integer(range(count).map((i) => start + i * delta))],
      elements: 0,
    };
  }],
  ["Compress", (draw) => {
    const x = any(draw, draw.shape(1));
    const { at, given } = draw.axis(x.shape.length);
    const n = draw.whole(1, x.shape[at]!);
    const kept = range(n).map(() => draw.whole(0, 1));
    kept[draw.whole(0, n - 1)] = 1;
    const taken = range(n).filter((i) => kept[i] === 1);
    const condition: NodeTensor = { shape: [n], values: kept, type: "bool", constant: true };
    return {
      type: "Compress",
      inputs: [x, condition],
      attributes: { axis: given },
      want: [build(x.shape.with(at, taken.length), (index) => read(x, index.with(at, taken[index[at]!]!)), x.type)],
      elements: 0,
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
    return {
      type: "ReverseSequence",
      inputs: [x, integer(lengths)],
      attributes: { time_axis: time, batch_axis: 1 - time },
      want: [want],
      elements: 0,
    };
  }],
]);
