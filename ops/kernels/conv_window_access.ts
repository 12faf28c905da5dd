/**
 * Parts of convolution kernels that read windows of source and weights as uniforms (`windows.ts`). The weights are packed
 * by tiles of target channels (`packTiles`).
 *
 * @module
 */
import { type KernelOptions, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import { convBuffers, type ConvTileOptions, type WeightAccess } from "./conv_kernel.ts";
import { fromLane } from "./simd.ts";
import { unroll } from "./unroll.ts";
import { bytesOfNumbers, windowOf } from "./windows.ts";

/** Windows of a kernel, which computes some of the images, or lines of one, and some of the tiles in each dispatch. */
export interface ConvWindows {
  /** Bytes of the source and of the target that a dispatch binds. */
  readonly source: number;
  readonly target: number;
  /** Bytes from the begin of the windows to pixel 0 of the source and of the target; negative if it is before a window. */
  readonly sourceShift: number;
  readonly targetShift: number;
  /** Offsets of the windows for each dispatch. */
  readonly slices: readonly { readonly source: number; readonly weight: number; readonly result: number }[];
  /** Tiles of target channels, and the first of them. The weight is `[tile][tap][source channel][target channel]`. */
  readonly tiles: number;
  readonly firstTile: number;
  /** Bytes of the weights of a tile. */
  readonly tileBytes: number;
}

export function windowBuffers(options: ConvTileOptions, windows: ConvWindows): KernelOptions["buffers"] {
  const buffers = convBuffers(options, { source: 4, weight: 4, target: 4 });
  return {
    ...buffers,
    source: windowOf(options.source, windows.source),
    weight: { ...buffers["weight"]!, access: "uniform", window: WINDOW_BYTES },
    result: { ...buffers["result"]!, window: windows.target },
  };
}

/** Returns uniforms that locate tiles and pixels in their windows. `width`: source channels that are read at once. */
export function windowUniforms({ source, target }: ConvTileOptions, windows: ConvWindows, width: 1 | 4) {
  return {
    firstTile: windows.firstTile,
    tileVectors: windows.tileBytes / 16,
    sourceShift: { i32: windows.sourceShift / bytesOfNumbers(width, source.dtype) },
    targetShift: { i32: windows.targetShift / bytesOfNumbers(4, target.dtype) },
  };
}

/** Returns WGSL that adds the distance to pixel 0 of the source or of the target, if they are windows. */
export function shifted(of: "source" | "target", windows: boolean): string {
  return windows ? ` + u32(u.${of}Shift)` : "";
}

/** Returns access to the weights of a tile in a window, for `width` source channels. A lane loads four target channels. */
export function windowWeights({ tile: { lanes, vectors: V } }: ConvTileOptions, width: 1 | 4): WeightAccess {
  if (width === 1) {
    return {
      setup: `let weightAt = wid.z * u.tileVectors + lix % ${V}u;`,
      load: () => `let weights = weight[(tap * u.sourceVectors + c) * ${V}u + weightAt];`,
      value: (_j, v) => fromLane("weights", v),
    };
  }
  // Source channels whose weights arrive with one load
  const perLoad = Math.min(4, lanes / V);
  return {
    setup: `let weightAt = wid.z * u.tileVectors + lix % ${V * perLoad}u;`,
    load: (j) =>
      j > 0 ? "" : `let weights = (tap * u.sourceVectors + c) * ${4 * V}u + weightAt;
${unroll(4 / perLoad, (i) => `let w${i * perLoad} = weight[weights + ${i * perLoad * V}u];`)}`,
    value: (j, v) => fromLane(`w${j - j % perLoad}`, (j % perLoad) * V + v),
  };
}
