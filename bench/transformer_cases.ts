/**
 * Products and memory-bound ops of transformers as cases of `kernels.ts`: those of the GPT of `bench:peers`, and rows long
 * enough to fill no cache.
 *
 * @module
 */
import { take } from "../ops/gather.ts";
import { gelu } from "../ops/gelu.ts";
import { matmul } from "../ops/matmul.ts";
import { layerNorm } from "../ops/row_norm.ts";
import { attentionWeights, logSoftmax, softmax } from "../ops/softmax.ts";
import { sum } from "../ops/sum.ts";
import { transpose } from "../ops/transpose.ts";
import { add } from "../ops/add.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { differentiate } from "../runtime/graph/autograd.ts";
import { Graph } from "../runtime/graph/graph.ts";
import type { Tensor } from "../runtime/graph/op.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import type { KernelCase } from "./kernel_case.ts";
import { dense } from "./product_cases.ts";

/** Tokens of a batch, and features. */
const [TOKENS, WIDTH] = [8192, 512];
const VOCABULARY = 8192;

/** Yields products: layers of a GPT of width 128 on 8 x 128 tokens, and its attention. */
export function* transformerProducts(dtype: FloatType): Generator<KernelCase> {
  yield* dense("gpt 128-384 b1024", dtype, 1024, 128, 384);
  yield* dense("gpt 128-512 b1024", dtype, 1024, 128, 512);
  yield* dense("gpt 512-128 b1024", dtype, 1024, 512, 128);
  yield* dense("gpt 128-128 b1024", dtype, 1024, 128, 128);
  yield batched("scores 32x128x32x128", dtype, { batch: 32, m: 128, k: 32, n: 128, transposeB: true });
  yield batched("values 32x128x128x32", dtype, { batch: 32, m: 128, k: 128, n: 32 });
  yield batched("keys' gradient 32x128x128x32", dtype, { batch: 32, m: 128, k: 128, n: 32, transposeA: true });
}

interface Batched {
  readonly batch: number;
  readonly m: number;
  readonly k: number;
  readonly n: number;
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

function batched(name: string, dtype: FloatType, sizes: Batched): KernelCase {
  const { batch, m, k, n, transposeA = false, transposeB = false } = sizes;
  const graph = new Graph();
  const a = graph.leaf("input", "a", rowMajor([batch, ...transposeA ? [k, m] : [m, k]], dtype));
  const b = graph.leaf("input", "b", rowMajor([batch, ...transposeB ? [n, k] : [k, n]], dtype));
  return {
    name: `matmul ${name}`,
    output: matmul(a, b, { transposeA, transposeB }),
    reference(i, [a, b]) {
      const [column, row, image] = [i % n, Math.floor(i / n) % m, Math.floor(i / (m * n))];
      let sum = 0;
      for (let j = 0; j < k; j++) {
        const x = a![image * m * k + (transposeA ? j * m + row : row * k + j)]!;
        sum += x * b![image * k * n + (transposeB ? column * k + j : j * n + column)]!;
      }
      return sum;
    },
  };
}

/** Yields memory-bound ops. */
export function* transformerMemory(dtype: FloatType): Generator<KernelCase> {
  const graph = new Graph("train");
  const x = graph.leaf("parameter", "x", rowMajor([TOKENS, WIDTH], dtype));
  const dy = graph.leaf("input", "dy", x.type);
  const shape = `${TOKENS}x${WIDTH}`;
  const gradient = (y: Tensor, of: Tensor) =>
    differentiate(y, graph.leaf("input", `dy ${y.node.id}`, y.type), [of], add)[0]!;
  const row = (i: number, values: Float32Array, width = WIDTH) => {
    const first = i - i % width;
    return values.subarray(first, first + width);
  };

  yield* softmaxes(dtype);
  const [weight, bias] = ["weight", "bias"].map((name) => graph.leaf("parameter", name, rowMajor([WIDTH], "f32")));
  const normal = layerNorm(x, weight!, bias!);
  yield {
    name: `layer norm ${shape}`,
    output: normal,
    reference(i, [x, weight, bias]) {
      const own = row(i, x!);
      const mean = total(own) / WIDTH;
      const variance = total(own, (value) => (value - mean) ** 2) / WIDTH;
      return (x![i]! - mean) / Math.sqrt(variance + 1e-5) * weight![i % WIDTH]! + bias![i % WIDTH]!;
    },
  };
  yield {
    name: `layer norm grad ${shape}`,
    output: gradient(normal, x),
    reference(i, [dy, x, mean, deviation, weight]) {
      const line = Math.floor(i / WIDTH);
      const at = (j: number) => ({
        g: dy![j]! * weight![j % WIDTH]!,
        h: (x![j]! - mean![line]!) * deviation![line]!,
      });
      let [gs, products] = [0, 0];
      for (let j = line * WIDTH; j < (line + 1) * WIDTH; j++) {
        const { g, h } = at(j);
        gs += g;
        products += g * h;
      }
      const { g, h } = at(i);
      return deviation![line]! * (g - gs / WIDTH - h * products / WIDTH);
    },
  };
  yield {
    name: `layer norm weight grad ${shape}`,
    output: gradient(normal, weight!),
    reference: (i, [dy, x, mean, deviation]) =>
      series(TOKENS, (t) => dy![t * WIDTH + i]! * (x![t * WIDTH + i]! - mean![t]!) * deviation![t]!),
  };
  yield {
    name: `sum of columns ${shape}`,
    output: sum(dy, { axes: [0] }),
    reference: (i, [dy]) => series(TOKENS, (t) => dy![t * WIDTH + i]!),
  };
  yield {
    name: `sum of rows ${shape}`,
    output: sum(dy, { axes: [1] }),
    reference: (i, [dy]) => series(WIDTH, (j) => dy![i * WIDTH + j]!),
  };
  yield {
    name: `gelu tanh ${shape}`,
    output: gelu(x, { approximate: "tanh" }),
    reference: (i, [x]) => x![i]! / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x![i]! + 0.044715 * x![i]! ** 3))),
  };
  yield {
    name: `transpose 8x1024x8x64 to 8x8x1024x64`,
    output: transpose(graph.leaf("input", "heads", rowMajor([8, 1024, 8, 64], dtype)), [0, 2, 1, 3]),
    reference(i, [x]) {
      const [d, t, h, n] = [i % 64, Math.floor(i / 64) % 1024, Math.floor(i / 65536) % 8, Math.floor(i / 524288)];
      return x![((n * 1024 + t) * 8 + h) * 64 + d]!;
    },
  };
  yield* embeddings(dtype);
}

function* softmaxes(dtype: FloatType): Generator<KernelCase> {
  const graph = new Graph("train");
  const x = graph.leaf("parameter", "x", rowMajor([TOKENS, WIDTH], dtype));
  const shape = `${TOKENS}x${WIDTH}`;
  const gradient = (y: Tensor) => differentiate(y, graph.leaf("input", `dy ${y.node.id}`, y.type), [x], add)[0]!;
  const powers = (i: number, x: Float32Array, end = WIDTH) => {
    const first = i - i % WIDTH;
    return total(x.subarray(first, first + end), Math.exp);
  };
  const products = (i: number, a: Float32Array, b: Float32Array) => {
    const first = i - i % WIDTH;
    return series(WIDTH, (j) => a[first + j]! * b[first + j]!);
  };
  yield {
    name: `softmax ${shape}`,
    output: softmax(x),
    reference: (i, [x]) => Math.exp(x![i]!) / powers(i, x!),
  };
  yield {
    name: `softmax grad ${shape}`,
    output: gradient(softmax(x)),
    reference: (i, [dy, y]) => y![i]! * (dy![i]! - products(i, dy!, y!)),
  };
  const square = graph.leaf("parameter", "square", rowMajor([TOKENS / WIDTH, WIDTH, WIDTH], dtype));
  yield {
    name: `softmax causal ${TOKENS / WIDTH}x${WIDTH}x${WIDTH}`,
    output: attentionWeights(square, { scale: 1, causal: true }),
    reference(i, [x]) {
      const [column, last] = [i % WIDTH, Math.floor(i / WIDTH) % WIDTH];
      return column > last ? 0 : Math.exp(x![i]!) / powers(i, x!, last + 1);
    },
  };
  yield {
    name: `log softmax ${shape}`,
    output: logSoftmax(x),
    reference: (i, [x]) => x![i]! - Math.log(powers(i, x!)),
  };
  yield {
    name: `log softmax grad ${shape}`,
    output: gradient(logSoftmax(x)),
    reference(i, [dy, y]) {
      const first = i - i % WIDTH;
      return dy![i]! - Math.exp(y![i]!) * total(dy!.subarray(first, first + WIDTH));
    },
  };
}

/** Yields an embedding and its gradient, with frequent and rare tokens and with one token only. */
function* embeddings(dtype: FloatType): Generator<KernelCase> {
  for (
    const [name, token] of [["", (u: number) => Math.floor(VOCABULARY * u ** 3)], [" of one token", () => 5]] as const
  ) {
    const graph = new Graph("train");
    const table = graph.leaf("parameter", "table", rowMajor([VOCABULARY, WIDTH], dtype));
    const tokens = graph.leaf("input", "tokens", rowMajor([TOKENS], "i32"));
    const rows = take(table, tokens);
    const drawn = (values: Float32Array) => values.map((value) => token(value + 0.5));
    const both = `${TOKENS} of ${VOCABULARY}x${WIDTH}${name}`;
    yield {
      name: `embedding ${both}`,
      output: rows,
      adjust: ([table, tokens]) => [table!, drawn(tokens!)],
      reference: (i, [table, tokens]) => table![tokens![Math.floor(i / WIDTH)]! * WIDTH + i % WIDTH]!,
    };
    yield {
      name: `embedding grad ${both}`,
      output: differentiate(rows, graph.leaf("input", "dy", rows.type), [table], add)[0]!,
      adjust: ([dy, tokens]) => [dy!, drawn(tokens!)],
      reference: (i, [dy, tokens]) =>
        series(TOKENS, (t) => tokens![t] === Math.floor(i / WIDTH) ? dy![t * WIDTH + i % WIDTH]! : 0),
    };
  }
}

function total(values: Float32Array, of: (value: number) => number = (value) => value): number {
  return series(values.length, (i) => of(values[i]!));
}

function series(n: number, term: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += term(i);
  return sum;
}
