import assert from "node:assert/strict";
import { type Fit, largestBatch } from "../../runtime/compile/largest_batch.ts";

/** Searches with a memory of `bytesOf(batch)`, and counts the plans. */
function search(bytesOf: (batch: number) => number, limit: number, start: number, most: number) {
  let plans = 0;
  const fitOf = (batch: number): Fit<string> => {
    plans++;
    assert.ok(batch >= 1 && batch <= most, `plans a batch of ${batch}`);
    return { bytes: bytesOf(batch), value: `plan ${batch}` };
  };
  return { ...largestBatch(fitOf, limit, { start, most }), plans };
}

Deno.test("the largest batch fits and the next does not, for lines, steps and jumps", () => {
  const memories: ((batch: number) => number)[] = [
    (batch) => 1000 + 10 * batch,
    (batch) => 1000 + 256 * Math.ceil(batch * 7 / 256),
    (batch) => batch < 40 ? 10 * batch : 5000 + 20 * batch,
    (batch) => 100 + batch ** 1.5,
    () => 500,
  ];
  for (const [i, bytesOf] of memories.entries()) {
    for (const limit of [300, 999, 1010, 4321, 6000, 100_000]) {
      for (const start of [1, 8, 700]) {
        const most = 1000;
        let wanted = 0;
        for (let batch = 1; batch <= most; batch++) if (bytesOf(batch) <= limit) wanted = batch;
        const found = search(bytesOf, limit, start, most);
        const where = `memory ${i}, ${limit} bytes, from ${start}`;
        assert.equal(found.batch, wanted, where);
        assert.equal(found.value, wanted === 0 ? null : `plan ${wanted}`, where);
        assert.equal(found.bound, wanted === most ? "data" : "memory", where);
        assert.ok(found.plans <= 20, `${where}: ${found.plans} plans`);
      }
    }
  }
  assert.ok(search((batch) => 1000 + 10 * batch, 6000, 8, 100_000).plans <= 14, "a line takes few plans");
});

Deno.test("a batch that the adapter refuses bounds the search, with its reason", () => {
  const fitOf = (batch: number): Fit<number> =>
    batch > 77 ? { refused: `${batch} is too much` } : { bytes: batch, value: batch };
  const found = largestBatch(fitOf, 1e9, { start: 8, most: 1000 });
  assert.deepEqual(found, { batch: 77, value: 77, bound: "adapter", refused: "78 is too much" });
  assert.equal(largestBatch(() => ({ refused: "never" }), 1e9, { start: 8, most: 1000 }).batch, 0);
});
