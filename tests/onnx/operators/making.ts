/** References of operators that make tensors, and read shapes. */
import {
  any,
  build,
  constant,
  type DrawCase,
  EXTREMES,
  indicesOf,
  integer,
  LARGE,
  range,
  read,
  sizeOf,
} from "./draw.ts";

export const MAKING: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["Shape", (draw) => {
    const x = draw.floats(draw.shape(1));
    const [start, end] = [draw.whole(-3, 1), draw.whole(2, 5)];
    return { opset: 15, inputs: [x], attributes: { start, end }, want: [integer(x.shape.slice(start, end))] };
  }],
  ["Size", (draw) => {
    const x = draw.floats(draw.shape());
    return { inputs: [x], want: [integer([sizeOf(x.shape)], [])] };
  }],
  ["Constant", (draw) => {
    const tensor = draw.chance()
      ? draw.floats(draw.shape(), { extremes: EXTREMES })
      : draw.integers(draw.shape(), -9, 9, [...LARGE, 2 ** 40]);
    return { inputs: [], attributes: { value: { tensor } }, want: [tensor] };
  }],
  ["ConstantOfShape", (draw) => {
    const shape = draw.shape(1);
    const tensor = draw.chance() ? draw.floats([1]) : draw.integers([1], -9, 9);
    return {
      inputs: [integer(shape)],
      attributes: { value: { tensor } },
      want: [build(shape, () => tensor.values[0]!, tensor.type)],
    };
  }],
  ["EyeLike", (draw) => {
    const x = any(draw, [draw.whole(1, 5), draw.whole(1, 5)]);
    const k = draw.whole(-2, 2);
    const dtype = draw.pick([null, 1, 7] as const);
    const type = dtype === null ? x.type : dtype === 7 ? "int64" as const : "float32" as const;
    return {
      inputs: [x],
      attributes: { k, ...dtype === null ? {} : { dtype } },
      want: [build(x.shape, ([i, j]) => j! - i! === k ? 1 : 0, type)],
    };
  }],
  ["NonZero", (draw) => {
    const x = constant(draw.integers(draw.shape(1), 0, 1));
    const found = indicesOf(x.shape).filter((index) => read(x, index) !== 0);
    return {
      inputs: [x],
      want: [integer(x.shape.flatMap((_, d) => found.map((index) => index[d]!)), [x.shape.length, found.length])],
    };
  }],
  ["Range", (draw) => {
    const [start, delta, count] = [draw.whole(-9, 9), draw.pick([1, 2, -1, -3]), draw.whole(1, 9)];
    return {
      inputs: [start, start + delta * count, delta].map((value) => integer([value], [])),
      want: [integer(range(count).map((i) => start + i * delta))],
    };
  }],
]);
