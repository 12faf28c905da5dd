import assert from "node:assert/strict";
import type { Device } from "../../runtime/device/device.ts";
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import { candidatesToCheck, familyOf } from "./checked_candidates.ts";
import { full } from "./full.ts";

const plan = (name: string): KernelPlan => ({ name, workspace: [], kernels: [{ name, wgsl: name }] } as never);

Deno.test("members of a family differ in the sizes of tiles, not in types, orders or subgroups", () => {
  const names = ["matmul.nn.simd16.8x64.f32_f32_f32", "matmul.nn.simd16.16x128.f32_f32_f32"];
  const families = names.map((name) => familyOf(plan(name)));
  assert.deepEqual(families, ["matmul.nn.simd16.#x#.f32_f32_f32", "matmul.nn.simd16.#x#.f32_f32_f32"]);
  const others = ["matmul.nt.simd16.8x64.f32_f32_f32", "matmul.nn.simd.8x64.f32_f32_f32", "matmul.nn.simd16.8x64.f16"];
  assert.equal(new Set([...families, ...others.map((name) => familyOf(plan(name)))]).size, 4);
});

Deno.test("the fast set checks the default, the first of each family and what is compiled", () => {
  const compiled = new Set<string>();
  const device = { pipelines: { creationTime: ({ wgsl }: { wgsl: string }) => compiled.has(wgsl) ? 1 : null } };
  const check = (most: number, ...names: string[]) =>
    candidatesToCheck(device as unknown as Device, most)(names.map(plan)).map((i) => names[i]);
  const first = ["test.a.8x8", "test.a.16x8", "test.b.8x8", "test.b.4x4"];
  assert.deepEqual(check(Infinity, ...first), full ? first : ["test.a.8x8", "test.b.8x8"]);
  compiled.add("test.b.4x4");
  const second = ["test.b.2x2", "test.a.8x8", "test.b.4x4", "test.c"];
  assert.deepEqual(check(Infinity, ...second), full ? second : ["test.b.2x2", "test.b.4x4", "test.c"]);
  assert.deepEqual(check(1, "test.d", "test.e"), ["test.d"]);
  assert.deepEqual(check(Infinity, "test.d", "test.e"), ["test.d", "test.e"], "a family that a limit left out is new");
});
