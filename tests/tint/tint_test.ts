/**
 * Kernels and a training step on Dawn, the WebGPU of Chromium and Node.js. `deno task tint` compiles all kernels; this
 * compiles those of the test models.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Report } from "./plans.ts";

/** Exit status where Dawn cannot be loaded. */
const NO_DAWN = 3;

const root = join(import.meta.dirname!, "..", "..");

// Tests do not download Dawn; the lock file that pins it is the one of `deno task tint`
const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", "--no-check", "--quiet", "--cached-only", "--no-lock", "tests/tint/plans.ts"],
  cwd: root,
}).output();
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test({
  name: "Tint compiles the kernels of the test models for both kinds of adapters, and Dawn accepts a training step",
  ignore: code === NO_DAWN,
  fn() {
    assert.equal(code, 0, decode(stderr));
    const { kernels, withSubgroups, refused } = JSON.parse(decode(stdout)) as Report;
    assert.deepEqual(refused, []);
    assert.ok(kernels > 100 && withSubgroups > 10, `${kernels} kernels, ${withSubgroups} with subgroups`);
  },
});
