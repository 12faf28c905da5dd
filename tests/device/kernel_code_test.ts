import assert from "node:assert/strict";
import { defineKernel } from "../../runtime/device/kernel.ts";
import { mapStores, mergeBindings, storageVariables } from "../../runtime/device/kernel_code.ts";

const kernel = defineKernel({
  name: "sample",
  buffers: {
    x: { ref: { input: 0 }, type: "vec4<f32>" },
    bias: { ref: { input: 1 }, type: "f32" },
    y: { ref: { output: 0 }, type: "vec4<f32>" },
  },
  uniforms: { n: 5 },
  workgroupSize: [8],
  grid: [1],
  body: `  let ys = u.n;
  if (gid.x < ys) { y[gid.x + u32(x[0].y)] = x[gid.x] + bias[0]; }`,
});

Deno.test("the storage variables of a kernel, in the order of its bindings", () => {
  assert.deepEqual(storageVariables(kernel), [
    { name: "x", element: "vec4<f32>" },
    { name: "bias", element: "f32" },
    { name: "y", element: "vec4<f32>" },
  ]);
});

Deno.test("stores are changed, whatever stands in their index; a variable that is read is left alone", () => {
  const changed = mapStores(kernel.wgsl, "y", (value) => `f(${value})`);
  assert.match(changed!, /y\[gid\.x \+ u32\(x\[0\]\.y\)\] = f\(x\[gid\.x\] \+ bias\[0\]\);/);
  assert.equal(mapStores(kernel.wgsl, "x", (value) => value), null);
  assert.equal(mapStores("y[0] += 1.0;", "y", (value) => value), null);
});

Deno.test("two bindings become one that is read and written", () => {
  const merged = mergeBindings(kernel, 2, 0)!;
  assert.deepEqual(merged.bindings, [{ ref: { input: 0 }, access: "read_write" }, {
    ref: { input: 1 },
    access: "read",
  }]);
  assert.match(merged.wgsl, /@binding\(0\) var<storage, read_write> x: array<vec4<f32>>;/);
  assert.match(merged.wgsl, /@binding\(2\) var<uniform> u/);
  assert.match(merged.wgsl, /x\[gid\.x \+ u32\(x\[0\]\.y\)\] = x\[gid\.x\]/);
  assert.ok(!/\by\[/.test(merged.wgsl));
  assert.equal(mergeBindings(kernel, 2, 1), null);
});
