/** References of convolutions and poolings. */
import type { FileAttribute } from "../../support/onnx_file.ts";
import { build, type Draw, type DrawCase, indicesOf, range, read, sizeOf, sum } from "./draw.ts";

const MS = "com.microsoft";

/** Window over the last dimensions: for each place of the result the places of the input that it covers, null in the padding. */
interface Window {
  readonly attributes: Record<string, FileAttribute>;
  readonly sizes: readonly number[];
  readonly kernel: readonly number[];
  covers(out: readonly number[]): (readonly number[] | null)[];
}

function window(draw: Draw, sizes: readonly number[], isDilated: boolean): Window {
  const kernel = sizes.map((n) => draw.whole(1, Math.min(3, n)));
  const strides = sizes.map(() => draw.whole(1, 2));
  const dilations = sizes.map((n, d) => isDilated && (kernel[d]! - 1) * 2 < n && draw.chance(0.3) ? 2 : 1);
  const pads = kernel.map((k) => [draw.whole(0, k - 1), draw.whole(0, k - 1)] as const);
  const out = sizes.map((n, d) =>
    Math.floor((n + pads[d]![0] + pads[d]![1] - dilations[d]! * (kernel[d]! - 1) - 1) / strides[d]!) + 1
  );
  return {
    kernel,
    sizes: out,
    attributes: {
      kernel_shape: kernel,
      strides,
      pads: [...pads.map(([before]) => before), ...pads.map(([, after]) => after)],
      ...isDilated ? { dilations } : {},
    },
    covers: (at) =>
      indicesOf(kernel).map((k) => {
        const place = at.map((i, d) => i * strides[d]! - pads[d]![0] + k[d]! * dilations[d]!);
        return place.every((i, d) => i >= 0 && i < sizes[d]!) ? place : null;
      }),
  };
}

function pooling(
  type: string,
  of: (values: readonly number[], all: number, attributes: Record<string, number>) => number,
  extremes: readonly number[] = [],
  attributesOf: (draw: Draw) => Record<string, number> = () => ({}),
): [string, DrawCase] {
  return [type, (draw) => {
    const sizes = range(draw.whole(1, 2)).map(() => draw.whole(2, 6));
    const shape = [draw.whole(1, 2), draw.whole(1, 3), ...sizes];
    const isInteger = type === "MaxPool" && draw.chance(0.3);
    const x = isInteger ? draw.integers(shape, -128, 127) : draw.floats(shape, { extremes });
    const found = window(draw, sizes, type === "MaxPool");
    const attributes = attributesOf(draw);
    const want = build([x.shape[0]!, x.shape[1]!, ...found.sizes], ([n, c, ...at]) => {
      const values = found.covers(at).flatMap((place) => place === null ? [] : [read(x, [n!, c!, ...place])]);
      return of(values, sizeOf(found.kernel), attributes);
    }, x.type);
    return {
      inputs: [x],
      attributes: { ...found.attributes, ...attributes },
      want: [want],
      elements: 1e-5,
      slack: type === "MaxPool" ? 0 : 1e-5,
    };
  }];
}

function overAll(type: string, of: (values: number[]) => number, extremes: readonly number[] = []): [string, DrawCase] {
  return [type, (draw) => {
    const x = draw.floats([draw.whole(1, 2), draw.whole(1, 3), ...draw.shape(1, 2)], { extremes });
    const want = build(
      x.shape.map((n, d) => d < 2 ? n : 1),
      ([n, c]) => of(indicesOf(x.shape.slice(2)).map((at) => read(x, [n!, c!, ...at]))),
    );
    return { inputs: [x], want: [want], elements: 1e-5, slack: 1e-5 };
  }];
}

const convolution: DrawCase = (draw) => {
  const sizes = range(draw.whole(1, 2)).map(() => draw.whole(2, 6));
  const group = draw.whole(1, 2);
  const [cin, cout] = [group * draw.whole(1, 3), group * draw.whole(1, 3)];
  const x = draw.floats([draw.whole(1, 2), cin, ...sizes]);
  const found = window(draw, sizes, true);
  const weight = draw.floats([cout, cin / group, ...found.kernel]);
  const bias = draw.chance() ? draw.floats([cout]) : null;
  const want = build([x.shape[0]!, cout, ...found.sizes], ([n, c, ...at]) => {
    const first = Math.floor(c! / (cout / group)) * (cin / group);
    const taps = indicesOf(found.kernel);
    return (bias?.values[c!] ?? 0) +
      sum(
        found.covers(at).flatMap((place, k) =>
          place === null
            ? []
            : range(cin / group).map((i) => read(x, [n!, first + i, ...place]) * read(weight, [c!, i, ...taps[k]!]))
        ),
      );
  });
  return {
    inputs: [x, weight, bias],
    attributes: { ...found.attributes, group },
    want: [want],
    elements: 1e-4,
    slack: 1e-4,
  };
};

const convTranspose: DrawCase = (draw) => {
  const sizes = range(draw.whole(1, 2)).map(() => draw.whole(1, 4));
  const group = draw.whole(1, 2);
  const [cin, cout] = [group * draw.whole(1, 2), group * draw.whole(1, 2)];
  const kernel = sizes.map(() => draw.whole(1, 3));
  const strides = sizes.map(() => draw.whole(1, 2));
  const pads = kernel.map((k) => [draw.whole(0, (k - 1) >> 1), draw.whole(0, (k - 1) >> 1)] as const);
  const x = draw.floats([draw.whole(1, 2), cin, ...sizes]);
  const weight = draw.floats([cin, cout / group, ...kernel]);
  const bias = draw.chance() ? draw.floats([cout]) : null;
  const out = sizes.map((n, d) => strides[d]! * (n - 1) + kernel[d]! - pads[d]![0] - pads[d]![1]);
  const values = indicesOf([x.shape[0]!, cout, ...out]).map(([, c]) => bias?.values[c!] ?? 0);
  for (const [n, i, ...at] of indicesOf(x.shape)) {
    for (const [o, ...k] of indicesOf([cout / group, ...kernel])) {
      const to = at.map((a, d) => a * strides[d]! + k[d]! - pads[d]![0]);
      if (to.some((t, d) => t < 0 || t >= out[d]!)) continue;
      const channel = Math.floor(i! / (cin / group)) * (cout / group) + o!;
      const place = [n!, channel, ...to].reduce((total, t, d) => total * [x.shape[0]!, cout, ...out][d]! + t, 0);
      values[place]! += read(x, [n!, i!, ...at]) * read(weight, [i!, o!, ...k]);
    }
  }
  const attributes = {
    kernel_shape: kernel,
    strides,
    group,
    pads: [...pads.map(([a]) => a), ...pads.map(([, b]) => b)],
  };
  return {
    inputs: [x, weight, bias],
    attributes,
    want: [{ shape: [x.shape[0]!, cout, ...out], values }],
    elements: 1e-4,
    slack: 1e-4,
  };
};

export const WINDOWS: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  pooling("MaxPool", (values) => Math.max(...values), [-3.3e38, -Infinity, 3.3e38, -3.4e38, 1e9]),
  pooling(
    "AveragePool",
    (values, all, { count_include_pad: padded }) => sum(values) / (padded === 1 ? all : values.length),
    [],
    (draw) => ({ count_include_pad: draw.whole(0, 1) }),
  ),
  pooling(
    "LpPool",
    (values, _, { p = 2 }) => sum(values.map((v) => Math.abs(v) ** p)) ** (1 / p),
    [],
    (draw) => ({ p: draw.whole(1, 3) }),
  ),
  overAll("GlobalAveragePool", (values) => sum(values) / values.length),
  overAll("GlobalMaxPool", (values) => Math.max(...values), [-3.4e38, -Infinity, 1e9]),
  overAll("GlobalLpPool", (values) => Math.sqrt(sum(values.map((v) => v * v)))),
  ["Conv", convolution],
  [`${MS}.FusedConv`, (draw) => {
    const test = convolution(draw);
    const alpha = draw.uniform(0.1, 0.5);
    const [want] = test.want;
    return {
      ...test,
      attributes: { ...test.attributes, activation: "LeakyRelu", activation_params: { floats: [alpha] } },
      want: [{ ...want!, values: want!.values.map((v) => v < 0 ? alpha * v : v) }],
    };
  }],
  ["ConvTranspose", convTranspose],
]);
