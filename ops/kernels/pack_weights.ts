/**
 * Reorders a convolution's weights from `[tap][in][groups * out]` to `[tap][row][groups][column]`, with columns padded to
 * a multiple of four. Rows are input channels and columns are output channels; the input gradient swaps them.
 *
 * @module
 */
import { DTYPE_BYTES } from "../../runtime/core/dtype.ts";
import {
  type BufferRef,
  defineKernel,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { ConvGeometry } from "../conv_geometry.ts";
import { elementType, type FloatBuffer, gather, store } from "./access.ts";

const LANES = 64;

const COLUMNS_FIRST = `let column = (i % u.vectors) * 4u;
let group = (i / u.vectors) % u.groups;
let row = (i / (u.vectors * u.groups)) % u.rows;`;

const ROWS_FIRST = `let row = i % u.rows;
let column = (i / u.rows) % u.vectors * 4u;
let group = (i / (u.rows * u.vectors)) % u.groups;`;

export function packWeights(
  weight: FloatBuffer,
  packed: BufferRef,
  geometry: ConvGeometry,
  transposed: boolean,
  traits: DeviceTraits,
): KernelSpec {
  const { groups, inputChannels, outputChannels } = geometry;
  const { rows, columns, taps } = matricesOf(geometry, transposed);
  const line = groups * outputChannels;
  const vectors = Math.ceil(columns / 4);
  const count = taps * rows * groups * vectors;
  // Neighbouring invocations of a GPU read neighbours; lanes of a software adapter write consecutive elements
  const byRows = transposed && traits.class !== "cpu";
  return defineKernel({
    name: `conv2d.pack_weights.${weight.dtype}`,
    buffers: {
      weight: { ref: weight.ref, type: elementType(weight.dtype, 1), access: "read" },
      packed: { ref: packed, type: elementType(weight.dtype, 4) },
    },
    uniforms: {
      count,
      vectors,
      groups,
      rows,
      columns,
      tapStep: inputChannels * line,
      rowStep: transposed ? 1 : line,
      columnStep: transposed ? line : 1,
      groupStep: outputChannels,
    },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    body: `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
${byRows ? ROWS_FIRST : COLUMNS_FIRST}
let tap = i / (u.vectors * u.groups * u.rows);
let base = tap * u.tapStep + row * u.rowStep + group * u.groupStep;
let value = ${fourColumns(weight)};
${
      store(
        "packed",
        byRows ? "((tap * u.rows + row) * u.groups + group) * u.vectors + column / 4u" : "i",
        "value",
        weight,
        4,
      )
    }`,
  });
}

/** Returns the numbers of rows and columns of a tap's matrix in a group, and the number of taps. */
function matricesOf({ inputChannels, outputChannels, kernelSize }: ConvGeometry, transposed: boolean) {
  const [rows, columns] = transposed ? [outputChannels, inputChannels] : [inputChannels, outputChannels];
  return { rows, columns, taps: kernelSize[0] * kernelSize[1] };
}

/** Returns WGSL for four neighbours from `column` on in the row at `base`; columns past the end repeat the last. */
function fourColumns({ dtype }: FloatBuffer): string {
  const at = (j: number) => `base + min(column + ${j}u, u.columns - 1u) * u.columnStep`;
  return gather("weight", [at(0), at(1), at(2), at(3)], dtype);
}

/** Returns the number of bytes that {@linkcode packWeights} writes. */
export function packedBytes(weight: FloatBuffer, geometry: ConvGeometry, transposed: boolean): number {
  const { rows, columns, taps } = matricesOf(geometry, transposed);
  return taps * rows * geometry.groups * Math.ceil(columns / 4) * 4 * DTYPE_BYTES[weight.dtype];
}
