/** References of norms, and of dropout in inference. */
import { build, type Draw, type DrawCase, range, read, sizeOf, sum } from "./draw.ts";

const MS = "com.microsoft";

/** Normalises rows; `root` without the mean. */
function normal(row: readonly number[], epsilon: number, root: boolean): number[] {
  const mean = root ? 0 : sum(row) / row.length;
  const variance = sum(row.map((v) => (v - mean) ** 2)) / row.length;
  return row.map((v) => (v - mean) / Math.sqrt(variance + epsilon));
}

function layerNorm(type: string, root: boolean, domainless = true): [string, DrawCase] {
  return [type, (draw) => {
    const shape = draw.shape(1, 3, 8);
    const x = draw.floats(shape, { extremes: [1e3, -1e3] });
    const { at, given } = draw.axis(shape.length);
    const epsilon = draw.pick([1e-5, 1e-3, 0.1]);
    const inner = shape.slice(at);
    const weights = [draw.floats(inner), ...!root && draw.chance() ? [draw.floats(inner)] : []];
    const size = sizeOf(inner);
    const rows = range(x.values.length / size).flatMap((r) =>
      normal(x.values.slice(r * size, (r + 1) * size), Math.fround(epsilon), root)
    );
    const want = {
      shape,
      values: rows.map((v, i) => v * weights[0]!.values[i % size]! + (weights[1]?.values[i % size] ?? 0)),
    };
    return {
      opset: domainless ? 23 : 17,
      inputs: [x, ...weights],
      attributes: { axis: given, epsilon: { float: epsilon } },
      want: [want],
      elements: 1e-3,
      slack: 1e-3,
    };
  }];
}

/** Statistics over parts of `[n, c, ...]`, scaled by channel or by group. */
function channelNorm(type: string, groupsOf: (draw: Draw, channels: number) => number): [string, DrawCase] {
  return [type, (draw) => {
    const c = draw.pick([2, 4, 6]);
    const x = draw.floats([draw.whole(1, 2), c, ...draw.shape(1, 2, 4)]);
    const groups = groupsOf(draw, c);
    const size = sizeOf(x.shape.slice(2));
    const [scale, bias] = [draw.floats([c]), draw.floats([c])];
    const each = c / groups * size;
    const rows = range(x.values.length / each).flatMap((r) =>
      normal(x.values.slice(r * each, (r + 1) * each), Math.fround(1e-5), false)
    );
    const want = {
      shape: x.shape,
      values: rows.map((v, i) => v * scale.values[Math.floor(i / size) % c]! + bias.values[Math.floor(i / size) % c]!),
    };
    const attributes = type === "GroupNormalization" ? { num_groups: groups } : {};
    return { opset: 21, inputs: [x, scale, bias], attributes, want: [want], elements: 1e-3, slack: 1e-3 };
  }];
}

const batchNorm: DrawCase = (draw) => {
  const c = draw.whole(1, 4);
  const x = draw.floats([draw.whole(1, 3), c, ...draw.shape(0, 3, 4)]);
  const [scale, bias, mean] = [draw.floats([c]), draw.floats([c]), draw.floats([c])];
  const variance = draw.floats([c], { low: 0.1, high: 2 });
  const want = build(x.shape, (index) => {
    const at = [index[1]!];
    return (read(x, index) - read(mean, at)) / Math.sqrt(read(variance, at) + Math.fround(1e-5)) * read(scale, at) +
      read(bias, at);
  });
  return { opset: 15, inputs: [x, scale, bias, mean, variance], want: [want], elements: 1e-4, slack: 1e-4 };
};

const responses: DrawCase = (draw) => {
  const size = draw.whole(1, 5);
  const x = draw.floats([draw.whole(1, 2), draw.whole(1, 6), 2, draw.whole(1, 3)]);
  const [alpha, beta, bias] = [draw.uniform(0.001, 0.1), draw.uniform(0.3, 0.9), draw.uniform(0.5, 2)];
  const want = build(x.shape, ([n, c, h, w]) => {
    const near = range(x.shape[1]!).filter((i) =>
      i >= c! - Math.floor((size - 1) / 2) && i <= c! + Math.ceil((size - 1) / 2)
    );
    const squares = sum(near.map((i) => read(x, [n!, i, h!, w!]) ** 2));
    return read(x, [n!, c!, h!, w!]) / (bias + alpha / size * squares) ** beta;
  });
  return {
    inputs: [x],
    attributes: { size, alpha: { float: alpha }, beta: { float: beta }, bias: { float: bias } },
    want: [want],
    elements: 1e-4,
    slack: 1e-5,
  };
};

function skipNorm(type: string, root: boolean): [string, DrawCase] {
  return [`${MS}.${type}`, (draw) => {
    const shape = [draw.whole(1, 2), draw.whole(1, 3), draw.whole(2, 6)];
    const n = shape[2]!;
    const [x, skip, gamma] = [draw.floats(shape), draw.floats(shape), draw.floats([n])];
    const [beta, bias] = [!root && draw.chance() ? draw.floats([n]) : null, draw.chance() ? draw.floats([n]) : null];
    const added = x.values.map((v, i) => v + skip.values[i]! + (bias?.values[i % n] ?? 0));
    const rows = range(added.length / n).flatMap((r) =>
      normal(added.slice(r * n, (r + 1) * n), Math.fround(1e-3), root)
    );
    const want = rows.map((v, i) => v * gamma.values[i % n]! + (beta?.values[i % n] ?? 0));
    const inputs = root ? [x, skip, gamma, bias] : [x, skip, gamma, beta, bias];
    return {
      inputs,
      attributes: { epsilon: { float: 1e-3 } },
      want: [{ shape, values: want }, null, null, { shape, values: added }],
      elements: 1e-3,
      slack: 1e-3,
    };
  }];
}

export const NORMS: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  layerNorm("LayerNormalization", false),
  layerNorm("RMSNormalization", true),
  layerNorm("SimplifiedLayerNormalization", true, false),
  channelNorm("GroupNormalization", (draw) => draw.pick([1, 2])),
  channelNorm("InstanceNormalization", (_, channels) => channels),
  ["BatchNormalization", batchNorm],
  ["LRN", responses],
  skipNorm("SkipLayerNormalization", false),
  skipNorm("SkipSimplifiedLayerNormalization", true),
  ["Dropout", (draw) => {
    const x = draw.floats(draw.shape());
    return { inputs: [x], want: [x] };
  }],
]);
