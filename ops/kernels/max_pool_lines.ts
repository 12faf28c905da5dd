/**
 * Max pooling with adjacent windows (stride = kernel, no padding) and its gradient in NHWC, for software adapters and
 * numbers of channels that are no multiple of four. A lane takes neighbouring windows whose numbers fill vectors of four,
 * and reads and writes their lines in vectors.
 *
 * @module
 */
import type { Shape } from "../../runtime/core/shape.ts";
import { defineKernel, type KernelPlan, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type FloatBuffer, load, store } from "./access.ts";
import { HIDDEN_ZERO, WIDEN_F16 } from "./half_words.ts";
import { isNan } from "./nan.ts";
import { declare, variantName } from "./tensors.ts";
import { unroll, unroll2 } from "./unroll.ts";

const LANES = 64;

/** WGSL of the larger of two numbers, NaN if either is NaN. */
const LARGER = `fn larger(a: f32, b: f32) -> f32 { return select(a, b, (b > a) | ${isNan("b", 1)}); }`;

/** Maximum vectors in the lines of a lane's windows, and windows of a lane. */
const MAX_VECTORS = 16;
const WINDOWS = [1, 2, 4] as const;

export interface MaxPoolLines {
  /** `[n, c, h, w]` of the images. */
  readonly shape: Shape;
  /** Height and width of the windows. */
  readonly kernel: readonly [number, number];
  readonly traits: DeviceTraits;
}

/** Returns the number of neighbouring windows of a lane; null if the images do not suit the kernels. */
function windowsOf({ shape, kernel, traits }: MaxPoolLines): number | null {
  const [, c, h, w] = shape as readonly [number, number, number, number];
  const columns = w / kernel[1];
  const windows = WINDOWS.find((m) => m * c % 4 === 0);
  if (traits.class !== "cpu" || c % 4 === 0 || windows === undefined) return null;
  const fit = h % kernel[0] === 0 && Number.isInteger(columns) && columns % windows === 0;
  return fit && kernel[0] * kernel[1] * windows * c / 4 <= MAX_VECTORS ? windows : null;
}

export function maxPoolLinesFit(options: MaxPoolLines): boolean {
  return windowsOf(options) !== null;
}

/** Returns the plan of the pooling. */
export function maxPoolLines(
  options: MaxPoolLines & { readonly images: FloatBuffer; readonly output: FloatBuffer },
): KernelPlan {
  const { images, output } = options;
  return linesKernel(
    options,
    "max_pool2d.lines",
    { images },
    { written: output },
    ({ numbers, vectors, member }) =>
      `${
        unroll(numbers, (i) =>
          `let value${i} = ${
            member(i).map(([row, at]) =>
              numberOf("images", row, at)
            ).reduce((a, b) => `larger(${a}, ${b})`)
          };`)
      }
${unroll(vectors, (q) => store("written", `place + ${q}u`, vectorOf("value", q), output, 4))}`,
  );
}

/** Returns the plan of the gradient: the first of several equal maxima of a window takes it all. */
export function maxPoolLinesGrad(
  options: MaxPoolLines & {
    readonly dy: FloatBuffer;
    readonly images: FloatBuffer;
    readonly pooled: FloatBuffer;
    readonly target: FloatBuffer;
  },
): KernelPlan {
  const { dy, images, pooled, target, kernel } = options;
  const outputs = { written: target };
  return linesKernel(options, "max_pool2d_grad.lines", { dy, images, pooled }, outputs, (code) => {
    const { numbers, vectors, member } = code;
    const read = (name: string, buffer: FloatBuffer) =>
      unroll(vectors, (q) => `let ${name}${q} = ${load(name, `place + ${q}u`, buffer.dtype, 4)};`);
    const part = (name: string, i: number) => `${name}${i >> 2}[${i & 3}]`;
    return `${read("dy", dy)}
${read("pooled", pooled)}
${
      unroll(numbers, (i) =>
        `var open${i} = true;
${
          member(i).map(([row, at]) =>
            `let hit${row}_${at} = open${i} & (${numberOf("images", row, at)} == ${part("pooled", i)});
let grad${row}_${at} = select(0.0, ${part("dy", i)}, hit${row}_${at});
open${i} = open${i} & !hit${row}_${at};`
          ).join("\n")
        }`)
    }
${
      unroll2(kernel[0], code.lineVectors, (row, q) =>
        store("written", `line${row} + ${q}u`, vectorOf(`grad${row}_`, q), target, 4))
    }`;
  });
}

/** Sizes of a lane's windows, and the numbers that they hold. */
interface LaneCode {
  /** Numbers and vectors of the pooled windows. */
  readonly numbers: number;
  readonly vectors: number;
  /** Vectors of their pixels in a line. */
  readonly lineVectors: number;
  /** Returns the line and the place in it of each number of pooled number `i`'s window, in row-major order. */
  readonly member: (i: number) => (readonly [row: number, at: number])[];
}

function linesKernel(
  options: MaxPoolLines,
  family: string,
  reads: { readonly images: FloatBuffer } & Readonly<Record<string, FloatBuffer>>,
  writes: Readonly<Record<string, FloatBuffer>>,
  body: (code: LaneCode) => string,
): KernelPlan {
  const { shape, kernel: [rows, columns], traits } = options;
  const [n, c, h, w] = shape as readonly [number, number, number, number];
  const windows = windowsOf(options)!;
  const lineVectors = windows * columns * c / 4;
  const count = n * (h / rows) * (w / columns / windows);
  const code: LaneCode = {
    numbers: windows * c,
    vectors: windows * c / 4,
    lineVectors,
    member: (i) =>
      Array.from({ length: rows * columns }, (_, k) => {
        const [window, channel] = [Math.floor(i / c), i % c];
        return [Math.floor(k / columns), (window * columns + k % columns) * c + channel] as const;
      }),
  };
  const { dtype } = reads.images;
  const half = dtype === "f16";
  const name = `${family}.${rows}x${columns}.${c}.${variantName({ ...reads, ...writes }, 4)}`;
  const kernel = defineKernel({
    name,
    buffers: Object.fromEntries(
      Object.entries({ ...reads, ...writes }).map(([key, buffer]) => [key, declare(buffer, 4)]),
    ),
    uniforms: { count, groups: w / columns / windows, line: w * c / 4 },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    prelude: [LARGER, ...(half ? [WIDEN_F16] : [])].join("\n"),
    body: `
let lane = ${LINEAR_INDEX(LANES)};
if (lane >= u.count) { return; }
let place = lane * ${code.vectors}u;
let line0 = (lane / u.groups * ${rows}u) * u.line + lane % u.groups * ${lineVectors}u;
${unroll(rows - 1, (row) => `let line${row + 1} = line${row} + u.line;`)}
${
      unroll2(rows, lineVectors, (row, q) => {
        const value = load("images", `line${row} + ${q}u`, dtype, 4);
        return `let images${row}_${q} = ${half ? `widenF16(${value}, ${HIDDEN_ZERO})` : value};`;
      })
    }
${body(code)}`,
  });
  return { name, kernels: [kernel], workspace: [] };
}

function numberOf(name: string, row: number, at: number): string {
  return `${name}${row}_${at >> 2}[${at & 3}]`;
}

function vectorOf(name: string, q: number): string {
  return `vec4<f32>(${[0, 1, 2, 3].map((j) => `${name}${4 * q + j}`).join(", ")})`;
}
