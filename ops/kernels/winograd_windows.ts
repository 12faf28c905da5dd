/**
 * Products of Winograd's convolution that read windows of both factors as uniforms (`windows.ts`), for software adapters.
 * The transforms write the factors, so that nothing is packed: filters lie by tiles of target channels.
 *
 * @module
 */
import { type BufferRef, type KernelSpec, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { windowColumns, windowNames, windowProduct } from "./matmul_window_kernel.ts";
import { hasSimd } from "./simd.ts";
import { SLICE_ALIGNMENT, sliced } from "./windows.ts";

/** Minimum rows of a dispatch, which are a tile of the kernel. */
const FEWEST_ROWS = 16;

/** Products `c[number] = a[number] b[number]`, all f32. */
export interface WinogradProducts {
  /** `[number][tile of the image][source channel]` */
  readonly a: BufferRef;
  /** `[number][tile of target channels][source channel][target channel]` */
  readonly b: BufferRef;
  /** `[number][tile of the image][target channel]` */
  readonly c: BufferRef;
  readonly numbers: number;
  readonly tiles: number;
  readonly sourceChannels: number;
  readonly targetChannels: number;
  readonly traits: DeviceTraits;
}

/** Kernels whose windows may extend past the end of both factors, by up to the size of a window. */
export interface WindowedProducts {
  readonly name: string;
  /** Target channels per tile of the filters. */
  readonly width: number;
  readonly kernels: readonly KernelSpec[];
}

/** Returns the kernels, or null if the windows do not fit or would hold too little. */
export function windowedProducts(options: WinogradProducts): WindowedProducts | null {
  const { a, b, c, numbers, tiles: m, sourceChannels: k, targetChannels: n, traits } = options;
  const vectors = n % windowColumns(2) === 0 && k * windowColumns(2) * 4 <= 2 * WINDOW_BYTES ? 2 : 1;
  const width = windowColumns(vectors);
  const tileBytes = k * width * 4;
  const parts = tileBytes > WINDOW_BYTES ? 2 : 1;
  const perWindow = Math.floor(parts * WINDOW_BYTES / tileBytes);
  if (!hasSimd(traits) || n % width !== 0 || perWindow === 0 || k % (4 * parts) !== 0) return null;
  const [aRow, cRow] = [k * 4, n * 4];
  const rows = sliced(m, [aRow], [cRow]);
  // The factors of a number begin at aligned offsets, too
  const aligned = [m * aRow, m * cRow, k * n * 4, perWindow * tileBytes, tileBytes / parts].every((bytes) =>
    bytes % SLICE_ALIGNMENT === 0
  );
  if (rows === null || rows.items < FEWEST_ROWS || !aligned) return null;
  const kernels = Array.from({ length: Math.ceil(n / (perWindow * width)) }, (_, w) => {
    const firstColumn = w * perWindow * width;
    return windowProduct({
      name: "matmul.winograd",
      alongK: true,
      a: { ref: a, dtype: "f32", window: WINDOW_BYTES },
      b: { ref: b, dtype: "f32", window: WINDOW_BYTES },
      c: { ref: c, dtype: "f32", window: rows.items * cRow },
      bias: null,
      ...{ parts, vectors },
      rows: rows.items,
      columns: Math.min(perWindow * width, n - firstColumn) / 4,
      ...{ k, firstK: 0 },
      aStep: k / 4,
      bStep: width / 4,
      bTile: k * width / 4,
      cRow: n / 4,
      firstVector: firstColumn / 4,
      slices: Array.from({ length: numbers * rows.dispatches }, (_, i) => {
        const number = Math.floor(i / rows.dispatches);
        return {
          a: i * rows.items * aRow,
          ...Object.fromEntries(
            windowNames(parts).map((name, part) => [
              name,
              number * k * n * 4 + w * perWindow * tileBytes + part * tileBytes / parts,
            ]),
          ),
          c: i * rows.items * cRow,
        };
      }),
      traits,
    });
  });
  return { name: kernels[0]!.name, width, kernels };
}
