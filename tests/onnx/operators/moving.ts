/** References of operators that move elements. */
import type { FileTensor } from "../../support/onnx_file.ts";
import type { NodeTensor } from "../../support/onnx_node.ts";
import {
  any,
  broadcastOf,
  build,
  constant,
  type DrawCase,
  EXTREMES,
  integer,
  LARGE,
  range,
  read,
  sizeOf,
  transposed,
} from "./draw.ts";

const same = (x: NodeTensor, shape: readonly number[]): FileTensor => ({ ...x, shape });

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
    return { opset: 9, inputs: [x], attributes: { starts, ends, axes: at }, want: [want] };
  }
  return { inputs: [x, integer(starts), integer(ends), integer(given), integer(steps)], want: [want] };
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
    opset: 19,
    attributes: { mode },
    inputs: [x, integer(widths), mode === "constant" ? fill : null],
    want: [want],
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
  return { inputs, attributes: { axis: given }, want: [want] };
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
    opset: asInput ? 13 : 11,
    inputs: asInput ? [x, integer(sizes)] : [x],
    attributes: { axis: given, ...asInput ? {} : { split: sizes } },
    want,
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
  return { inputs: [x, integer(given)], want: [same(x, order)] };
};

const triangle: DrawCase = (draw) => {
  const x = any(draw, draw.shape(2));
  const [k, upper] = [draw.whole(-3, 3), draw.whole(0, 1)];
  const want = build(x.shape, (index) => {
    const distance = index.at(-1)! - index.at(-2)!;
    return (upper === 1 ? distance >= k : distance <= k) ? read(x, index) : 0;
  }, x.type);
  return { inputs: [x, integer([k], [])], attributes: { upper }, want: [want] };
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
  if (all) return { inputs: [x], want: [want] };
  return draw.chance()
    ? { inputs: [x, integer(given)], want: [want] }
    : { opset: 11, inputs: [x], attributes: { axes: given }, want: [want] };
};

export const MOVING: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["Slice", slice],
  ["Pad", pad],
  ["Concat", concat],
  ["Split", split],
  ["Reshape", reshape],
  ["Trilu", triangle],
  ["Squeeze", squeezed],
  ["Unsqueeze", (draw) => {
    const x = any(draw, draw.shape());
    const rank = x.shape.length + draw.whole(1, 2);
    const axes = draw.order(rank).slice(0, rank - x.shape.length);
    const sizes = x.shape.values();
    const shape = range(rank).map((d) => axes.includes(d) ? 1 : sizes.next().value!);
    const given = axes.map((axis) => draw.chance() ? axis : axis - rank);
    const isEarly = draw.chance(0.3);
    return {
      opset: isEarly ? 11 : 13,
      inputs: isEarly ? [x] : [x, integer(given)],
      attributes: isEarly ? { axes: given } : {},
      want: [same(x, shape)],
    };
  }],
  ["Flatten", (draw) => {
    const x = any(draw, draw.shape(1));
    const axis = draw.whole(0, x.shape.length);
    const given = axis < x.shape.length && draw.chance() ? axis - x.shape.length : axis;
    return {
      inputs: [x],
      attributes: { axis: given },
      want: [same(x, [sizeOf(x.shape.slice(0, axis)), sizeOf(x.shape.slice(axis))])],
    };
  }],
  ["Identity", (draw) => {
    const x = any(draw, draw.shape());
    return { inputs: [x], want: [x] };
  }],
  ["Transpose", (draw) => {
    const x = any(draw, draw.shape(1));
    const perm = draw.chance(0.2) ? null : draw.order(x.shape.length);
    return {
      inputs: [x],
      attributes: perm === null ? {} : { perm },
      want: [transposed(x, perm ?? range(x.shape.length).reverse())],
    };
  }],
  ["Expand", (draw) => {
    const x = any(draw, draw.shape().map((n) => draw.chance() ? 1 : n));
    const target = [...draw.shape(0, 2, 3), ...x.shape.map((n) => n === 1 ? draw.whole(1, 4) : draw.pick([1, n]))];
    return {
      inputs: [x, integer(target)],
      want: [build(broadcastOf([x.shape, target]), (index) => read(x, index), x.type)],
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
    return { inputs: [x, integer(repeats)], want: [want] };
  }],
]);
