/** References of layers: windows, norms, attention, recurrent networks, quantisation. */
import type { FileAttribute } from "../../support/onnx_file.ts";
import type { NodeCase, NodeTensor } from "../../support/onnx_node.ts";
import {
  build,
  constant,
  type Draw,
  type DrawCase,
  indicesOf,
  matmul,
  range,
  read,
  sizeOf,
  softmax,
  sum,
  transposed,
} from "./draw.ts";

const MS = "com.microsoft";
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

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
    const x = draw.floats([draw.whole(1, 2), draw.whole(1, 3), ...sizes], { extremes });
    const found = window(draw, sizes, type === "MaxPool");
    const attributes = attributesOf(draw);
    const want = build([x.shape[0]!, x.shape[1]!, ...found.sizes], ([n, c, ...at]) => {
      const values = found.covers(at).flatMap((place) => place === null ? [] : [read(x, [n!, c!, ...place])]);
      return of(values, sizeOf(found.kernel), attributes);
    });
    return {
      type,
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
    return { type, inputs: [x], want: [want], elements: 1e-5, slack: 1e-5 };
  }];
}

function convolution(draw: Draw): NodeCase {
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
    type: "Conv",
    inputs: [x, weight, bias],
    attributes: { ...found.attributes, group },
    want: [want],
    elements: 1e-4,
    slack: 1e-4,
  };
}

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
    type: "ConvTranspose",
    inputs: [x, weight, bias],
    attributes,
    want: [{ shape: [x.shape[0]!, cout, ...out], values }],
    elements: 1e-4,
    slack: 1e-4,
  };
};

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
      type,
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
    return { type, opset: 21, inputs: [x, scale, bias], attributes, want: [want], elements: 1e-3, slack: 1e-3 };
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
  return {
    type: "BatchNormalization",
    opset: 15,
    inputs: [x, scale, bias, mean, variance],
    want: [want],
    elements: 1e-4,
    slack: 1e-4,
  };
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
    type: "LRN",
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
      type,
      domain: MS,
      inputs,
      attributes: { epsilon: { float: 1e-3 } },
      want: [{ shape, values: want }, null, null, { shape, values: added }],
      elements: 1e-3,
      slack: 1e-3,
    };
  }];
}

/** Softmax of scaled products, with what is added to the scores; tensors are `[n, heads, t, d]`. */
function attend(
  q: NodeTensor,
  k: NodeTensor,
  v: NodeTensor,
  scale: number,
  added: (index: readonly number[]) => number,
): NodeTensor {
  const products = matmul(q, transposed(k, [0, 1, 3, 2]));
  return matmul(softmax(build(products.shape, (index) => scale * read(products, index) + added(index))), v);
}

const inHeads = (x: NodeTensor, heads: number): NodeTensor =>
  transposed({ shape: [x.shape[0]!, x.shape[1]!, heads, x.shape[2]! / heads], values: x.values }, [0, 2, 1, 3]);

function joined(x: NodeTensor): NodeTensor {
  const { values } = transposed(x, [0, 2, 1, 3]);
  return { shape: [x.shape[0]!, x.shape[2]!, x.shape[1]! * x.shape[3]!], values };
}

const attention: DrawCase = (draw) => {
  const [n, heads, t, s, d] = [
    draw.whole(1, 2),
    draw.whole(1, 3),
    draw.whole(1, 4),
    draw.whole(1, 4),
    draw.whole(1, 5),
  ];
  const [q, k, v] = [draw.floats([n, heads, t, d]), draw.floats([n, heads, s, d]), draw.floats([n, heads, s, d])];
  const scale = draw.chance() ? null : draw.uniform(0.1, 1);
  const causal = draw.whole(0, 1);
  const kind = draw.whole(0, 2);
  // Each query sees at least the first key
  const given = draw.booleans([t, s]);
  const allowed = { ...given, values: given.values.map((value, i) => i % s === 0 ? 1 : value) };
  const mask = kind === 0
    ? null
    : kind === 1
    ? allowed
    : draw.floats([t, s], { extremes: [-3.4028234663852886e38, -2000] });
  const want = attend(q, k, v, scale ?? d ** -0.5, ([, , i, j]) => {
    if (causal === 1 && j! > i!) return -Infinity;
    if (mask === null) return 0;
    return kind === 1 ? read(mask, [i!, j!]) !== 0 ? 0 : -Infinity : read(mask, [i!, j!]);
  });
  const attributes = { is_causal: causal, ...scale === null ? {} : { scale: { float: scale } } };
  return {
    type: "Attention",
    opset: 23,
    inputs: [q, k, v, mask],
    attributes,
    want: [want],
    elements: 1e-4,
    slack: 1e-4,
  };
};

const multiHead: DrawCase = (draw) => {
  const [n, heads, t, s, d] = [
    draw.whole(1, 2),
    draw.whole(1, 3),
    draw.whole(1, 4),
    draw.whole(1, 4),
    draw.whole(1, 4),
  ];
  const width = heads * d;
  const inputs = [draw.floats([n, t, width]), draw.floats([n, s, width]), draw.floats([n, s, width])];
  const bias = draw.chance() ? draw.floats([3 * width]) : null;
  const mask = draw.chance() ? draw.floats([1, heads, t, s]) : null;
  const [q, k, v] = inputs.map((x, i) =>
    inHeads(build(x.shape, (index) => read(x, index) + (bias?.values[i * width + index[2]!] ?? 0)), heads)
  );
  const want = joined(attend(q!, k!, v!, d ** -0.5, (index) => mask === null ? 0 : read(mask, index)));
  return {
    type: "MultiHeadAttention",
    domain: MS,
    inputs: [...inputs, bias, null, mask],
    attributes: { num_heads: heads },
    want: [want],
    elements: 1e-4,
    slack: 1e-4,
  };
};

const jointAttention: DrawCase = (draw) => {
  const [n, heads, t, d, features] = [
    draw.whole(1, 2),
    draw.whole(1, 3),
    draw.whole(1, 4),
    draw.whole(1, 4),
    draw.whole(1, 4),
  ];
  const width = heads * d;
  const [x, weight, bias] = [
    draw.floats([n, t, features]),
    draw.floats([features, 3 * width]),
    draw.floats([3 * width]),
  ];
  const causal = draw.whole(0, 1);
  const all = matmul(x, weight);
  const [q, k, v] = range(3).map((part) =>
    inHeads(
      build([n, t, width], ([i, j, f]) => read(all, [i!, j!, part * width + f!]) + bias.values[part * width + f!]!),
      heads,
    )
  );
  const want = joined(attend(q!, k!, v!, d ** -0.5, ([, , i, j]) => causal === 1 && j! > i! ? -Infinity : 0));
  return {
    type: "Attention",
    domain: MS,
    inputs: [x, weight, bias],
    attributes: { num_heads: heads, unidirectional: causal },
    want: [want],
    elements: 1e-3,
    slack: 1e-3,
  };
};

/** Rotates pairs of features; the standard's operator has the positions last, that of onnxruntime before the tables. */
function rotary(domain: string | null): [string, DrawCase] {
  return [domain === null ? "RotaryEmbedding" : `${domain}.RotaryEmbedding`, (draw) => {
    const [n, heads, t, half] = [draw.whole(1, 2), draw.whole(1, 2), draw.whole(1, 4), draw.whole(1, 3)];
    const x = draw.floats([n, heads, t, 2 * half]);
    const angles = draw.floats([6, half]);
    const positions = draw.integers([n, t], 0, 5);
    const interleaved = draw.whole(0, 1);
    const [cos, sin] = [Math.cos, Math.sin].map((of) => ({
      ...angles,
      values: angles.values.map(of).map(Math.fround),
    }));
    const want = build(x.shape, ([i, h, p, f]) => {
      const pair = interleaved === 1 ? f! >> 1 : f! % half;
      const isFirst = interleaved === 1 ? f! % 2 === 0 : f! < half;
      const [a, b] = interleaved === 1 ? [2 * pair, 2 * pair + 1] : [pair, pair + half];
      const row = read(positions, [i!, p!]);
      const [c, s, u, v] = [
        read(cos!, [row, pair]),
        read(sin!, [row, pair]),
        read(x, [i!, h!, p!, a]),
        read(x, [i!, h!, p!, b]),
      ];
      return isFirst ? u * c - v * s : v * c + u * s;
    });
    const inputs = domain === null ? [x, cos!, sin!, positions] : [x, positions, cos!, sin!];
    return {
      type: "RotaryEmbedding",
      ...domain === null ? { opset: 23 } : { domain },
      inputs,
      attributes: { interleaved },
      want: [want],
      elements: 1e-4,
      slack: 1e-5,
    };
  }];
}

/** Activations of recurrent networks with the numbers that they take, if any. */
const GATES: readonly (readonly [string, number, (x: number, alpha: number) => number])[] = [
  ["Sigmoid", 0, sigmoid],
  ["Tanh", 0, Math.tanh],
  ["Relu", 0, (x) => Math.max(0, x)],
  ["LeakyRelu", 1, (x, alpha) => x < 0 ? alpha * x : x],
  ["Elu", 1, (x, alpha) => x < 0 ? alpha * Math.expm1(x) : x],
];

function recurrent(type: "RNN" | "GRU" | "LSTM"): [string, DrawCase] {
  return [type, (draw) => {
    const [t, n, features, hidden] = [draw.whole(1, 3), draw.whole(1, 2), draw.whole(1, 3), draw.whole(1, 3)];
    const gates = { RNN: 1, GRU: 3, LSTM: 4 }[type];
    const direction = draw.pick(["forward", "reverse", "bidirectional"]);
    const directions = direction === "bidirectional" ? 2 : 1;
    const x = draw.floats([t, n, features]);
    const [w, r] = [
      draw.floats([directions, gates * hidden, features]),
      draw.floats([directions, gates * hidden, hidden]),
    ];
    const b = draw.chance() ? draw.floats([directions, 2 * gates * hidden]) : null;
    const resets = type === "GRU" ? draw.whole(0, 1) : 0;
    const defaults = { RNN: ["Tanh"], GRU: ["Sigmoid", "Tanh"], LSTM: ["Sigmoid", "Tanh", "Tanh"] }[type];
    const own = draw.chance(0.4);
    const chosen = range(directions * defaults.length).map((i) =>
      own ? draw.pick(GATES) : GATES.find(([name]) => name === defaults[i % defaults.length])!
    );
    const numbers = chosen.filter(([, count]) => count === 1).map(() => draw.uniform(0.1, 0.5));
    const left = numbers.values();
    const functions = chosen.map(([, count, of]) => {
      const alpha = count === 1 ? left.next().value! : 0;
      return (value: number) => of(value, alpha);
    });
    const outputs = new Array<number>(t * directions * n * hidden).fill(0);
    for (const d of range(directions)) {
      const [f, g, k] = functions.slice(d * defaults.length, (d + 1) * defaults.length);
      const backwards = direction === "reverse" || d === 1;
      for (const sample of range(n)) {
        let h = new Array<number>(hidden).fill(0);
        let c = new Array<number>(hidden).fill(0);
        for (const step of range(t)) {
          const at = backwards ? t - 1 - step : step;
          const bias = (row: number, half: number) => b === null ? 0 : read(b, [d, half * gates * hidden + row]);
          const input = (row: number) =>
            sum(range(features).map((i) => read(w, [d, row, i]) * read(x, [at, sample, i]))) + bias(row, 0);
          const product = (row: number, state: readonly number[]) =>
            sum(range(hidden).map((i) => read(r, [d, row, i]) * state[i]!)) + bias(row, 1);
          const gate = (g: number, u: number, state = h) => input(g * hidden + u) + product(g * hidden + u, state);
          if (type === "RNN") h = range(hidden).map((u) => f!(gate(0, u)));
          else if (type === "LSTM") {
            const before = h;
            c = range(hidden).map((u) =>
              f!(gate(2, u, before)) * c[u]! + f!(gate(0, u, before)) * g!(gate(3, u, before))
            );
            h = range(hidden).map((u) => f!(gate(1, u, before)) * k!(c[u]!));
          } else {
            const before = h;
            const reset = range(hidden).map((u) => f!(gate(1, u, before)));
            h = range(hidden).map((u) => {
              const update = f!(gate(0, u, before));
              const inner = resets === 1
                ? reset[u]! * product(2 * hidden + u, before)
                : product(2 * hidden + u, before.map((v, i) => v * reset[i]!));
              return (1 - update) * g!(input(2 * hidden + u) + inner) + update * before[u]!;
            });
          }
          h.forEach((value, u) => outputs[((at * directions + d) * n + sample) * hidden + u] = value);
        }
      }
    }
    const attributes: Record<string, FileAttribute> = {
      hidden_size: hidden,
      direction,
      ...type === "GRU" ? { linear_before_reset: resets } : {},
      ...own ? { activations: { strings: chosen.map(([name]) => name) } } : {},
      ...numbers.length > 0 ? { activation_alpha: { floats: numbers } } : {},
    };
    return {
      type,
      inputs: [x, w, r, b],
      attributes,
      want: [{ shape: [t, directions, n, hidden], values: outputs }],
      elements: 1e-3,
      slack: 1e-4,
    };
  }];
}

const roundEven = (x: number) => Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x);
const clampTo = (low: number, high: number) => (x: number) => Math.min(high, Math.max(low, x));

/** Scales whose quotients are exact, so that no rounding depends on the last bit. */
const SCALES = [0.25, 0.5, 1, 2];

const quantize: DrawCase = (draw) => {
  const shape = draw.shape(1, 3);
  const x = draw.floats(shape, { low: -300, high: 300, extremes: [0.5, 1.5, -2.5, 1e9, Infinity, -Infinity] });
  const { at, given } = draw.axis(shape.length);
  const perChannel = draw.chance();
  const count = perChannel ? [shape[at]!] : [];
  const scale = build(count, () => draw.pick(SCALES));
  const type = draw.pick([2, 3, 4, 5] as const);
  const [low, high] = { 2: [0, 255], 3: [-128, 127], 4: [0, 65535], 5: [-32768, 32767] }[type] as [number, number];
  if (type < 4 && draw.chance()) {
    const zero: NodeTensor = { ...draw.integers(count, 0, 9), type: type === 2 ? "uint8" : "int8", constant: true };
    const want = build(shape, (index) => {
      const place = perChannel ? [index[at]!] : [];
      return clampTo(low, high)(roundEven(clampTo(-1e6, 1e6)(read(x, index) / read(scale, place))) + read(zero, place));
    });
    return {
      type: "QuantizeLinear",
      opset: 13,
      inputs: [x, scale, zero],
      attributes: { axis: given },
      want: [want],
      elements: 0,
    };
  }
  const want = build(
    shape,
    (index) =>
      clampTo(low, high)(roundEven(clampTo(-1e6, 1e6)(read(x, index) / read(scale, perChannel ? [index[at]!] : [])))),
  );
  return {
    type: "QuantizeLinear",
    opset: 21,
    inputs: [x, scale],
    attributes: { axis: given, output_dtype: type },
    want: [want],
    elements: 0,
  };
};

const dequantize: DrawCase = (draw) => {
  const shape = draw.shape(1, 3);
  const x = draw.integers(shape, -128, 127);
  const { at, given } = draw.axis(shape.length);
  const perChannel = draw.chance();
  const count = perChannel ? [shape[at]!] : [];
  const [scale, zero] = [draw.floats(count, { low: 0.1 }), draw.integers(count, -5, 5)];
  const want = build(shape, (index) => {
    const place = perChannel ? [index[at]!] : [];
    return (read(x, index) - read(zero, place)) * read(scale, place);
  });
  return {
    type: "DequantizeLinear",
    inputs: [x, scale, draw.chance() ? zero : constant(zero)],
    attributes: { axis: given },
    want: [want],
    elements: 1e-5,
  };
};

const dynamic: DrawCase = (draw) => {
  const x = draw.chance(0.2)
    ? build(draw.shape(1), () => 0)
    : draw.floats(draw.shape(1), { extremes: [0, 3e38, -3e38] });
  const low = Math.min(0, ...x.values);
  const high = Math.max(0, ...x.values);
  const scale = Math.fround(high === low ? 1 : high / 255 - low / 255);
  const zero = roundEven(clampTo(0, 255)(-low / scale));
  const want = build(x.shape, (index) => clampTo(0, 255)(roundEven(read(x, index) / scale) + zero));
  const one = (value: number): NodeTensor => ({ shape: [], values: [value] });
  // A quotient next to a half may be rounded either way
  return { type: "DynamicQuantizeLinear", inputs: [x], want: [want, one(scale), one(zero)], elements: 1e-6, slack: 1 };
};

export const LAYERS: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
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
      type: "FusedConv",
      domain: MS,
      attributes: { ...test.attributes, activation: "LeakyRelu", activation_params: { floats: [alpha] } },
      want: [{ ...want!, values: want!.values.map((v) => v < 0 ? alpha * v : v) }],
    };
  }],
  ["ConvTranspose", convTranspose],
  layerNorm("LayerNormalization", false),
  layerNorm("RMSNormalization", true),
  layerNorm("SimplifiedLayerNormalization", true, false),
  channelNorm("GroupNormalization", (draw) => draw.pick([1, 2])),
  channelNorm("InstanceNormalization", (_, channels) => channels),
  ["BatchNormalization", batchNorm],
  ["LRN", responses],
  skipNorm("SkipLayerNormalization", false),
  skipNorm("SkipSimplifiedLayerNormalization", true),
  ["Attention", attention],
  [`${MS}.MultiHeadAttention`, multiHead],
  [`${MS}.Attention`, jointAttention],
  rotary(null),
  rotary(MS),
  recurrent("RNN"),
  recurrent("GRU"),
  recurrent("LSTM"),
  ["QuantizeLinear", quantize],
  ["DequantizeLinear", dequantize],
  ["DynamicQuantizeLinear", dynamic],
  ["QLinearMatMul", (draw) => {
    const [m, k, n] = [draw.whole(1, 4), draw.whole(1, 5), draw.whole(1, 4)];
    const number = (value: number, type?: "uint8"): NodeTensor =>
      constant({ shape: [], values: [value], ...type === undefined ? {} : { type } });
    const [a, b] = [draw.integers([m, k], 0, 255), draw.integers([k, n], 0, 255)].map((x): NodeTensor => ({
      ...x,
      type: "uint8",
    }));
    const rows: NodeTensor = draw.chance() ? build([m], () => draw.pick(SCALES)) : number(draw.pick(SCALES));
    const [columns, result] = [build([n], () => draw.pick(SCALES)), number(64)];
    const [za, zb, zy] = [
      number(draw.whole(0, 9), "uint8"),
      number(draw.whole(0, 9), "uint8"),
      number(draw.whole(0, 200), "uint8"),
    ];
    const product = matmul(
      build([m, k], (at) => read(a!, at) - za.values[0]!),
      build([k, n], (at) => read(b!, at) - zb.values[0]!),
    );
    const want = build([m, n], ([i, j]) => {
      const scaled = read(product, [i!, j!]) * read(rows, rows.shape.length === 0 ? [] : [i!]) * read(columns, [j!]) /
        64;
      return clampTo(0, 255)(roundEven(scaled) + zy.values[0]!);
    });
    return { type: "QLinearMatMul", inputs: [a!, rows, za, b!, columns, zb, result, zy], want: [want], elements: 0 };
  }],
  ["MatMulInteger", (draw) => {
    const [m, k, n] = [draw.whole(1, 4), draw.whole(1, 5), draw.whole(1, 4)];
    const [a, b] = [draw.integers([m, k], 0, 255), draw.integers([k, n], -128, 127)];
    const [za, zb] = [draw.integers(draw.chance() ? [m] : [], 0, 255), draw.integers(draw.chance() ? [n] : [], -5, 5)];
    const left = build([m, k], (index) => read(a, index) - read(za, za.shape.length === 0 ? [] : [index[0]!]));
    const right = build([k, n], (index) => read(b, index) - read(zb, zb.shape.length === 0 ? [] : [index[1]!]));
    return { type: "MatMulInteger", inputs: [a, b, za, zb], want: [matmul(left, right)], elements: 0 };
  }],
  ["Dropout", (draw) => {
    const x = draw.floats(draw.shape());
    return { type: "Dropout", inputs: [x], want: [x], elements: 0 };
  }],
]);
