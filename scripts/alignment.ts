/**
 * Effect of alignment on matrix products: [16, 36, 1504] x [1504, 10000], as in Paddle's performance guide, and nearby sizes
 * that are not multiples of 8, in f32 and f16. A software adapter uses a quarter of the length.
 *
 *     deno run -A scripts/alignment.ts
 *     deno run -A scripts/alignment.ts --variants f32-1504x10000,f32-1503x10000
 */
import { findAdapter, linear, run, scenario, tensors, type VariantDefinition, z } from "../mod.ts";

const ROWS = 36;
const BATCH = 16;
const adapter = await findAdapter();
const full = { k: 1504, n: 10000 };
/** Also multiples of 8. */
const quarter = { k: 376, n: 2504 };
const { k, n } = adapter?.info.fallback ? quarter : full;

const SHAPES = [[k, n], [k - 4, n], [k - 1, n], [k, n - 4], [k, n - 1], [k - 1, n - 1]] as const;
const TYPES = { f32: "O0", f16: "O3" } as const;

const params = {
  k: z.coerce.number().default(k).describe("columns of the left matrix and rows of the right matrix"),
  n: z.coerce.number().default(n).describe("columns of the right matrix"),
};

const variants: Record<string, VariantDefinition<typeof params>> = {};
for (const [type, amp] of Object.entries(TYPES)) {
  if (type === "f16" && adapter !== null && !adapter.traits.f16) continue;
  for (const [k, n] of SHAPES) variants[`${type}-${k}x${n}`] = { params: { k, n }, amp };
}

export default scenario({
  name: "alignment",
  params,
  model: ({ n }) => linear(n, { bias: false }),
  data: ({ k }) =>
    tensors({
      input: { shape: [ROWS, k], data: new Float32Array(BATCH * ROWS * k).fill(0.5) },
      target: { data: new Int32Array(BATCH) },
    }),
  loader: { batchSize: BATCH, shuffle: false },
  measure: { steps: 5, skip: 2, rounds: 9 },
  variants,
});

if (import.meta.main) await run();
