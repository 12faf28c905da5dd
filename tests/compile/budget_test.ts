import assert from "node:assert/strict";
import { InputError } from "../../mod.ts";
import { checkBudget, memoryLimit, residentBytes } from "../../runtime/compile/budget.ts";
import type { MemoryUse } from "../../runtime/compile/plan.ts";

const MIB = 1048576;

function variant(name: string, sizes: Partial<MemoryUse>) {
  const none = { parameters: 0, gradients: 0, optimizer: 0, activations: 0, workspace: 0, feed: 0 };
  const use = { ...none, ...sizes };
  return { name, memory: { ...use, peak: Object.values(use).reduce((a, b) => a + b) } };
}

Deno.test("variants share the largest slots, and their other memory adds up", () => {
  const a = variant("a", { parameters: 10, optimizer: 20, activations: 100, workspace: 5 });
  const b = variant("b", { parameters: 1, feed: 3, activations: 200 });
  assert.equal(residentBytes([a]), 135);
  assert.equal(residentBytes([a, b]), 30 + 4 + 200);
  assert.equal(residentBytes([]), 0);
  assert.equal(residentBytes([a, b], true), 135 + 204); // in separate processes
});

Deno.test("the limit is the user's, or a fraction of the free memory on a software adapter, or none", () => {
  assert.equal(memoryLimit(1000, { fallback: false }), 1000);
  assert.equal(memoryLimit(null, { fallback: false }), null);
  const limit = memoryLimit(null, { fallback: true })!;
  assert.ok(limit > MIB && limit < Deno.systemMemoryInfo().total);
});

Deno.test("exceeding the limit is rejected, and the message names the largest part", () => {
  const large = variant("large", { parameters: 10 * MIB, activations: 40 * MIB });
  const fed = variant("fed", { feed: 30 * MIB, activations: 5 * MIB });
  checkBudget([large, fed], 80 * MIB, "the budget");
  checkBudget([large, fed], null, "the budget");
  const message = (variants: Parameters<typeof checkBudget>[0], limit: number) => {
    try {
      checkBudget(variants, limit, "the budget");
    } catch (error) {
      assert.ok(error instanceof InputError);
      return error.message;
    }
    assert.fail("not refused");
  };
  assert.equal(
    message([large], 20 * MIB),
    'variant "large" needs 50 MiB of device memory, more than the budget of 20 MiB. The largest part is 40 MiB of ' +
      'activations in "large"; lower loader.batchSize, or raise memoryBudget',
  );
  assert.match(message([large, fed], 79 * MIB), /^2 variants together need 80 MiB .* 40 MiB of activations in "large"/);
  assert.match(message([large, fed], MIB), /; lower loader\.batchSize, pick fewer --variants, or raise memoryBudget$/);
  assert.match(message([{ ...large, least: true }], MIB), /^variant "large" needs at least 50 MiB of device memory/);
  assert.match(message([fed], MIB), /30 MiB of feed in "fed"; lower loader.batchSize, sink or accumulate,/);
});
