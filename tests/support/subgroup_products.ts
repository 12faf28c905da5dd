/**
 * Matrix products and convolutions that reach every tile of the subgroup kernels on a GPU, for any number of lanes. As
 * a script, this module runs them with the adapter's own lanes and prints the names of the kernels:
 *
 *     LP_NATIVE_VECTOR_WIDTH=512 deno run -A tests/support/subgroup_products.ts
 *
 * @module
 */
import assert from "node:assert/strict";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { checkConvolution } from "./conv_case.ts";
import type { ConvCase } from "./conv_cases.ts";
import { testDevice } from "./evaluate.ts";
import { full, sampled } from "./full.ts";
import { checkMatmul, type MatmulCase } from "./matmul_case.ts";
import type { ProductOptions } from "./products.ts";

const ORDERS = [[false, false], [true, false], [false, true], [true, true]] as const;
const PLAIN = { stride: [1, 1], padding: [1, 1], dilation: [1, 1], groups: 1 } as const;

/** Checks the cases for a number of lanes and returns the names of the candidates that ran. */
export async function checkSubgroupProducts(
  lanes: number,
  dtype: FloatType,
  options: Pick<ProductOptions, "change"> = {},
): Promise<string[]> {
  const names = new Set<string>();
  const only = new RegExp(lanes === 8 ? "\\.(simd|runs)\\." : `\\.(simd|runs)${lanes}\\.`);
  const onCandidate = (name: string) => void (only.test(name) && names.add(name));
  const all: ProductOptions = { ...options, only, onCandidate, traits: { class: "gpu", subgroupSize: lanes } };
  for (const c of products(lanes)) await checkMatmul(c, dtype, all);
  for (const [name, c] of sampled(Object.entries(convolutions(lanes)), 5)) {
    await checkConvolution(`${name} of ${lanes} lanes`, c, dtype, 1, dtype, "nhwc", all);
  }
  return [...names].sort();
}

/** Asserts that each family ran, and in the full set with each of its tiles. */
export function assertEveryTile(names: readonly string[], lanes: number): void {
  const suffix = lanes === 8 ? "" : String(lanes);
  const columns = 4 * lanes;
  const tiles = [
    ...["nn", "nt", "tn", "tt"].flatMap((orders) =>
      [`16x${columns}`, `16x${2 * columns}`, `8x${columns}`, `8x${2 * columns}`].map((tile) =>
        `matmul.${orders}.simd${suffix}.${tile}`
      )
    ),
    ...["forward", "input_grad"].flatMap((direction) => [
      ...["8x4", "8x8", "4x16"].map((tile) => `conv2d.${direction}.simd${suffix}.${tile}`),
      ...["8x4", "8x8"].map((tile) => `conv2d.${direction}.runs${suffix}.${tile}`),
    ]),
    `conv2d.weight_grad.simd${suffix}.16x${columns}`,
  ];
  const wanted = full ? tiles : tiles.map((tile) => tile.slice(0, tile.lastIndexOf(".")));
  const missing = wanted.filter((prefix) => !names.some((name) => name.startsWith(`${prefix}.`)));
  assert.deepEqual(missing, [], `Kernels that no case reached with ${lanes} lanes; ran ${names.join(", ")}`);
  assert.ok(names.some((name) => name.endsWith(".single")), "runs over an odd number of source channels");
}

function products(lanes: number): MatmulCase[] {
  // Two tiles of one vector per lane, and two tiles of two vectors
  const [narrow, wide] = [6 * lanes - 4, 8 * lanes + 12];
  const sizes = [
    { batch: [], m: 20, n: narrow, k: 132 }, // split
    { batch: [2], m: 8, n: narrow, k: 12 },
    { batch: [], m: 36, n: wide, k: 12 },
    { batch: [2], m: 8, n: wide, k: 20 },
  ];
  return ORDERS.flatMap(([transposeA, transposeB], i) =>
    (full ? sizes : [sizes[i]!]).map((size) => ({ ...size, transposeA, transposeB }))
  );
}

function convolutions(lanes: number): Record<string, ConvCase> {
  // Pixels for several tiles, the largest of which has eight pixels per lane
  const rows = lanes + 1;
  const x = (channels: number) => [2, channels, rows, 11];
  return {
    "3x3": { ...PLAIN, x: x(12), weight: [20, 12, 3, 3] },
    "few channels": { ...PLAIN, x: x(4), weight: [8, 4, 3, 3] },
    "to few channels": { ...PLAIN, x: x(8), weight: [4, 8, 3, 3] },
    "first layer": { ...PLAIN, x: x(3), weight: [7, 3, 3, 5], padding: [1, 2] },
    "two groups, dilation": { ...PLAIN, x: x(16), weight: [24, 8, 3, 3], padding: [2, 1], dilation: [2, 1], groups: 2 },
    "stride 2": { ...PLAIN, x: [1, 8, 2 * rows, 21], weight: [36, 8, 3, 2], stride: [2, 2] },
    "many channels": { ...PLAIN, x: [1, 8, 3, 5], weight: [7 * lanes + 4, 8, 3, 3] },
    "many channels in groups": { ...PLAIN, x: [2, 8, 3, 3], weight: [8 * lanes + 16, 4, 3, 2], groups: 2 },
  };
}

if (import.meta.main) {
  const { traits } = await testDevice();
  const lanes = traits.subgroupSize;
  const names: Record<string, string[]> = {};
  if (lanes !== null && lanes === Number(Deno.args[0] ?? lanes)) {
    for (const dtype of traits.f16 ? ["f32", "f16"] as const : ["f32"] as const) {
      names[dtype] = await checkSubgroupProducts(lanes, dtype);
    }
  }
  console.log(JSON.stringify({ lanes, names }));
}
