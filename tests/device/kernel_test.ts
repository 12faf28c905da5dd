import assert from "node:assert/strict";
import { InputError } from "../../runtime/core/errors.ts";
import { defineKernel } from "../../runtime/device/kernel.ts";

const buffers = {
  x: { ref: { input: 0 }, type: "vec4<f32>" },
  bias: { ref: { input: 1 }, type: "f32" },
  y: { ref: { output: 0 }, type: "vec4<f32>" },
} as const;
const rest = { name: "sample", uniforms: { n: 5 }, workgroupSize: [8], grid: [1] } as const;

Deno.test("a buffer given instead of another is not bound, and the other one is written", () => {
  const kernel = defineKernel({
    ...rest,
    buffers: { x: { ...buffers.x, access: "read" }, y: { ...buffers.y, over: "x" }, bias: buffers.bias },
    body: "x[gid.x] = x[gid.x] + bias[0];",
  });
  assert.equal(kernel.name, "sample.in_place");
  assert.deepEqual(kernel.bindings, [
    { ref: { input: 0 }, access: "read_write" },
    { ref: { input: 1 }, access: "read" },
  ]);
  assert.match(kernel.wgsl, /@binding\(0\) var<storage, read_write> x: .*\n\n@group\(0\) @binding\(1\) .* bias: /);
  assert.match(kernel.wgsl, /@binding\(2\) var<uniform> u/);
});

Deno.test("the code of a kernel is built when it is read", () => {
  let built = 0;
  const body = "y[gid.x] = x[gid.x];";
  const kernel = defineKernel({
    ...rest,
    buffers,
    prelude: () => "const zero = 0;",
    body: () => {
      built++;
      return body;
    },
  });
  assert.deepEqual([kernel.bindings.length, kernel.grid, built], [3, [1, 1, 1], 0]);
  const eager = defineKernel({ ...rest, buffers, prelude: "const zero = 0;", body });
  assert.equal(kernel.wgsl, eager.wgsl);
  assert.equal(kernel.wgsl, eager.wgsl);
  assert.equal(built, 1);
});

Deno.test("an epilogue is declared after the code, and its name does not make the kernel f16", () => {
  const epilogue = { name: "half", code: "fn epilogue(v: vec4<f32>) -> vec4<f32> { return 0.5 * v; }\n" };
  const body = "y[gid.x] = epilogue(x[gid.x]);";
  const plain = defineKernel({ ...rest, buffers, body });
  const kernel = defineKernel({ ...rest, buffers: { ...buffers, y: { ...buffers.y, epilogue } }, body });
  assert.equal(kernel.wgsl, plain.wgsl + epilogue.code);
  assert.deepEqual([plain.epilogue, kernel.epilogue], [undefined, "half"]);
});

Deno.test("a uniform that exceeds 32 bits is an input error with the kernel and the field", () => {
  const kernel = (n: number) => defineKernel({ ...rest, buffers, uniforms: { first: 1, n }, body: "" });
  assert.deepEqual([...kernel(2 ** 32 - 1).uniforms!], [1, 2 ** 32 - 1, 0, 0]);
  assert.throws(() => kernel(2 ** 32), (error) => {
    assert.ok(error instanceof InputError);
    assert.match(
      error.message,
      /^kernel sample counts to 4294967296 \(n\); expected at most 4294967295\. Lower loader/,
    );
    return true;
  });
});
