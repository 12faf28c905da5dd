import assert from "node:assert/strict";
import { checkBinding, checkBuffer } from "../../runtime/compile/adapter_limits.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";

const traits = { ...DEFAULT_TRAITS, maxStorageBindingBytes: 2 ** 27, maxBufferBytes: 2 ** 28 };

Deno.test("a tensor that is too large is stated in MiB, or in bytes if it is hardly larger than the limit", () => {
  checkBinding(2 ** 27 - 4, "conv1", traits);
  assert.throws(() => checkBinding(2 ** 28, "conv1", traits), /a tensor of 256\.0 MiB, .* at most 128\.0 MiB at once/);
  assert.throws(
    () => checkBinding(2 ** 27 + 4, "conv1", traits),
    /134217744 bytes, .* at most 134217728 bytes at once/,
  );
  assert.throws(
    () => checkBuffer(2 ** 28 + 4, "sink: the batches", "sink", traits),
    /take 268435460 bytes, .* 268435456/,
  );
});
