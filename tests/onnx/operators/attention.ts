/** References of attention and rotary positions. */
import type { NodeTensor } from "../../support/onnx_node.ts";
import { build, type DrawCase, matmul, range, read, softmax, transposed } from "./draw.ts";

const MS = "com.microsoft";

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
  return { opset: 23, inputs: [q, k, v, mask], attributes, want: [want], elements: 1e-4, slack: 1e-4 };
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
      ...domain === null ? { opset: 23 } : {},
      inputs,
      attributes: { interleaved },
      want: [want],
      elements: 1e-4,
      slack: 1e-5,
    };
  }];
}

export const ATTENTION: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["Attention", attention],
  [`${MS}.MultiHeadAttention`, multiHead],
  [`${MS}.Attention`, jointAttention],
  rotary(null),
  rotary(MS),
]);
