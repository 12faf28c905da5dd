import { deepStrictEqual } from "node:assert/strict";
import { computeEntryPoints, describeKernel } from "../../runtime/attach/wgsl.ts";

Deno.test("entry points are found in the order of the code, but not in comments", () => {
  const code = `
    // @compute @workgroup_size(1) fn commented() {}
    /* @compute fn this() {} */
    @compute @workgroup_size(8, 8, 1)
    fn first(@builtin(global_invocation_id) id: vec3u) { helper(); }
    fn helper() {}
    @workgroup_size(N) @compute fn zweite_größe() {}
    @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }`;
  deepStrictEqual(computeEntryPoints(code), ["first", "zweite_größe"]);
});

const CASES: readonly (readonly [body: string, words: string])[] = [
  ["y[i] = x[i];", "copy"],
  ["y[i] = a[i] + b[i] * 2.0;", "map multiply, add"],
  ["y[i] = exp(x[i]) / tanh(x[i]);", "map exp, tanh"],
  ["var s = 0.0; for (var k = 0u; k < n; k++) { s += x[k]; } y[i] = s;", "sum loop"],
  ["var s = 0.0; for (var k = 0u; k < n; k += 1u) { s = s + a[k] * b[k]; } y[i] = s;", "multiply-add loop"],
  ["var s = 0.0; loop { s = fma(a[k], b[k], s); workgroupBarrier(); }", "multiply-add loop, shared memory"],
  ["var m = x[0]; for (var k = 0u; k < n; k += 1u) { m = max(m, x[k]); } y[i] = m;", "max loop"],
  [
    "var m = x[0]; for (var k = 0u; k < n; k += 1u) { m = max(m, x[k]); } for (;;) { s += exp(x[k] - m); }",
    "max, exp and sum loop",
  ],
];

for (const [body, words] of CASES) {
  Deno.test(`a kernel is described as ${words}`, () => {
    deepStrictEqual(describeKernel(`@compute @workgroup_size(64) fn main() { ${body} }`, "main"), words);
  });
}

Deno.test("a description reads the functions that an entry point calls, and no others", () => {
  const code = `
    fn inner(v: f32) -> f32 { return sqrt(v); }
    fn outer(v: f32) -> f32 { return inner(v); }
    fn unused(v: f32) -> f32 { return exp(v); }
    @compute @workgroup_size(1) fn main() { y[0] = outer(x[0]); }
    @compute @workgroup_size(1) fn other() { y[0] = sin(x[0]); }`;
  deepStrictEqual(describeKernel(code, "main"), "map sqrt");
  deepStrictEqual(describeKernel(code, "other"), "map sin");
});
