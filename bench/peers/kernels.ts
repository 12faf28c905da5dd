/**
 * Single kernels that every library runs in f32. Each run takes the previous result as its first operand, since a
 * library may skip unused results. Convolutions take images [n, c, h, w] and filters [o, c, k, k], with stride 1, the
 * padding that keeps the size, and the layout that suits the library best.
 *
 * @module
 */

interface Matmul {
  readonly op: "matmul";
  /** [size, size] x [size, size]. */
  readonly size: number;
}

interface Conv {
  readonly op: "conv";
  readonly batch: number;
  readonly channels: number;
  readonly size: number;
  readonly filters: number;
  readonly kernel: number;
}

interface Add {
  readonly op: "add";
  readonly shape: readonly [number, number, number, number];
}

export type KernelCase = Matmul | Conv | Add;

export const KERNELS: Readonly<Record<string, KernelCase>> = {
  "matmul 512": { op: "matmul", size: 512 },
  "conv 3x3 16-16, 32x16x32x32": { op: "conv", batch: 32, channels: 16, size: 32, filters: 16, kernel: 3 },
  "conv 3x3 64-64, 32x64x8x8": { op: "conv", batch: 32, channels: 64, size: 8, filters: 64, kernel: 3 },
  "add 32x16x32x32": { op: "add", shape: [32, 16, 32, 32] },
};

/** Returns the floating-point operations of one run. */
export function flopsOf(one: KernelCase): number {
  if (one.op === "matmul") return 2 * one.size ** 3;
  if (one.op === "add") return product(one.shape);
  const { batch, channels, size, filters, kernel } = one;
  return 2 * batch * filters * size ** 2 * channels * kernel ** 2; // ignores that the border has fewer terms
}

/** Returns the shapes of both operands, images and filters in the order above. */
export function operandShapes(one: KernelCase): readonly [number[], number[]] {
  if (one.op === "matmul") return [[one.size, one.size], [one.size, one.size]];
  if (one.op === "add") return [[...one.shape], [...one.shape]];
  const { batch, channels, size, filters, kernel } = one;
  return [[batch, channels, size, size], [filters, channels, kernel, kernel]];
}

/**
 * Returns the values of an operand, the same for every library, in the order above. The second operand is scaled so
 * that results are as large as the first.
 */
export function operand(one: KernelCase, which: 0 | 1): Float32Array<ArrayBuffer> {
  const terms = one.op === "matmul" ? one.size : one.op === "conv" ? one.channels * one.kernel ** 2 : 12;
  const width = which === 0 ? 1 : Math.sqrt(12 / terms); // 1 / 12 is the variance of a uniform draw
  let state = 17 + which;
  const random = () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
  return Float32Array.from({ length: product(operandShapes(one)[which]) }, () => width * (random() - 0.5));
}

/**
 * Returns the expected value of the result's element at row, column (or sample, channel, row, column) 1, 1 (, 1, 1).
 */
export function expected(one: KernelCase): number {
  const [a, b] = [operand(one, 0), operand(one, 1)];
  let sum = 0;
  if (one.op === "matmul") {
    for (let k = 0; k < one.size; k++) sum += a[one.size + k]! * b[k * one.size + 1]!;
    return sum;
  }
  if (one.op === "add") return a[elementAt(one)]! + b[elementAt(one)]!;
  const { channels, size, kernel } = one;
  const pad = kernel >> 1;
  for (let c = 0; c < channels; c++) {
    for (let y = 0; y < kernel; y++) {
      for (let x = 0; x < kernel; x++) {
        const [row, column] = [1 + y - pad, 1 + x - pad];
        if (row < 0 || column < 0) continue;
        const image = ((channels + c) * size + row) * size + column;
        sum += a[image]! * b[((channels + c) * kernel + y) * kernel + x]!;
      }
    }
  }
  return sum;
}

/** Returns the index of that element, in the order above. */
export function elementAt(one: KernelCase): number {
  if (one.op === "matmul") return one.size + 1;
  const [, channels, height, width] = one.op === "add" ? one.shape : [0, one.filters, one.size, one.size];
  return ((channels + 1) * height + 1) * width + 1;
}

/** JSON that a script prints on its last line. */
export interface KernelTime {
  readonly library: string;
  /** Wall time of one run in ms, from many runs that are submitted and then waited for once. */
  readonly time: number;
  /** Element to compare with {@linkcode expected}. */
  readonly element: number;
}

/** Approximate minimum duration of a block of runs, in ms. */
export const MIN_MS = 600;
const BLOCKS = 3;

/**
 * Returns the wall time of one run in ms: the median of a few blocks, each long enough to make the wait negligible.
 *
 * @param block submits `repeats` runs and waits for them
 */
export async function timeBlocks(block: (repeats: number) => Promise<void>): Promise<number> {
  const time = async (repeats: number) => {
    const start = performance.now();
    await block(repeats);
    return (performance.now() - start) / repeats;
  };
  await time(1); // compiles
  const repeats = Math.min(1000, Math.max(4, Math.ceil(MIN_MS / await time(4))));
  const times: number[] = [];
  for (let i = 0; i < BLOCKS; i++) times.push(await time(repeats));
  return times.sort((a, b) => a - b)[BLOCKS >> 1]!;
}

/** Returns the case named on the command line. */
export function kernelNamed(name: string | undefined): KernelCase {
  const found = KERNELS[name ?? ""];
  if (found === undefined) throw new Error(`Expected one of ${Object.keys(KERNELS).join("; ")}, got "${name}"`);
  return found;
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * size, 1);
}
