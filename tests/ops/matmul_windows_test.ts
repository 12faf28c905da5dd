/** Matrix products that read windows of their factors as uniforms, in shapes with several windows of every kind. */
import assert from "node:assert/strict";
import { matmul } from "../../ops/matmul.ts";
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { candidatesOf, testDevice } from "../support/evaluate.ts";
import { checkMatmul, type MatmulCase } from "../support/matmul_case.ts";

const { traits: own } = await testDevice();
const SIMD: DeviceTraits = { ...DEFAULT_TRAITS, class: "cpu", subgroupSize: 8 };
const PLAIN = { batch: [], transposeA: false, transposeB: false } as const;

/** Products by what is particular about their windows. Their gradients are products with other orders. */
const CASES: Readonly<Record<string, MatmulCase>> = {
  "one window of each factor": { ...PLAIN, m: 20, n: 12, k: 300 },
  "three windows of rows, two of columns, the last of eight": { ...PLAIN, m: 192, n: 72, k: 256 },
  "two windows of each tile": { ...PLAIN, m: 64, n: 68, k: 320 },
  "windows of narrow tiles": { ...PLAIN, m: 64, n: 68, k: 324 },
  "sums longer than a window, and a part of a tile": { ...PLAIN, m: 64, n: 100, k: 520 },
  "a transposed factor": { ...PLAIN, m: 132, n: 68, k: 260, transposeB: true },
  "panels of both factors": { ...PLAIN, m: 144, n: 196, k: 300, transposeA: true },
  "panels of an odd number of terms": { ...PLAIN, m: 144, n: 132, k: 513, transposeA: true },
  "a panel of each factor that needs no packing": { ...PLAIN, m: 96, n: 36, k: 512, transposeA: true },
};

for (const dtype of ["f32", "f16"] as const) {
  for (const [name, c] of Object.entries(CASES)) {
    Deno.test({
      name: `matmul ${dtype} by windows: ${name}`,
      ignore: own.subgroupSize !== 8 || (dtype === "f16" && !own.f16),
      async fn() {
        const ran: string[] = [];
        await checkMatmul(c, dtype, {
          traits: { class: "cpu", subgroupSize: 8 },
          only: /\.windows/,
          onCandidate: (name) => void (/\.windows/.test(name) && ran.push(name)),
        });
        assert.notEqual(ran.length, 0, "no candidate with windows");
      },
    });
  }
}

function plansOf({ m, n, k, transposeA, transposeB }: MatmulCase, traits: DeviceTraits): readonly KernelPlan[] {
  const graph = new Graph();
  const a = graph.leaf("input", "a", rowMajor(transposeA ? [k, m] : [m, k], "f32"));
  const b = graph.leaf("input", "b", rowMajor(transposeB ? [n, k] : [k, n], "f32"));
  return candidatesOf(matmul(a, b, { transposeA, transposeB }), traits);
}

function dispatchesOf({ kernels }: KernelPlan): number[] {
  return kernels.map(({ slices }) => slices?.length ?? 0);
}

Deno.test("large products of software adapters with 8 lanes read windows, small ones and other adapters do not", () => {
  const first = (c: MatmulCase, traits = SIMD) => plansOf(c, traits)[0]!;
  const layer: MatmulCase = { ...PLAIN, m: 1024, n: 128, k: 128 };
  assert.deepEqual(dispatchesOf(first(layer)), [8]); // 128 rows each
  assert.deepEqual(dispatchesOf(first({ ...layer, n: 512 })), [4, 8, 8, 8, 8]); // packed; 128 columns each
  assert.deepEqual(dispatchesOf(first({ ...layer, n: 512, transposeB: true })), [4, 8, 8, 8, 8]);
  // A panel of x, four of dy, and the sum of their partial results, by windows too
  assert.deepEqual(dispatchesOf(first({ ...PLAIN, m: 128, n: 512, k: 1024, transposeA: true })), [32, 8, 8, 8, 8, 4]);
  for (const traits of [{ ...SIMD, subgroupSize: null }, DEFAULT_TRAITS]) {
    for (const { name } of plansOf(layer, traits)) assert.doesNotMatch(name, /windows/);
  }
  assert.doesNotMatch(first({ ...PLAIN, m: 16, n: 16, k: 16 }).name, /windows/);
});

Deno.test("every window of a product lies inside its buffer", () => {
  for (const [title, c] of Object.entries(CASES)) {
    const { m, n, k } = c;
    for (const { name, kernels, workspace } of plansOf(c, SIMD).filter(({ name }) => /windows/.test(name))) {
      for (const { bindings, slices = [] } of kernels) {
        const moving = bindings.filter(({ moves }) => moves);
        for (const offsets of slices) {
          moving.forEach(({ ref, window }, i) => {
            const size = "workspace" in ref
              ? workspace[ref.workspace]!
              : 4 * ("output" in ref ? m * n : ref.input === 0 ? m * k : k * n);
            const end = offsets[i]! + window!;
            assert.ok(end <= size, `${title}, ${name}: a window ends at ${end} of ${size} bytes`);
          });
        }
      }
    }
  }
});
