import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { assignSlots, type Lifetime } from "../../runtime/compile/slots.ts";

const lifetime = fc.record({ bytes: fc.integer({ min: 1, max: 64 }), first: fc.nat(40), length: fc.nat(20) })
  .map(({ bytes, first, length }): Lifetime => ({ bytes: bytes * 16, first, last: first + length }));

const overlap = (a: Lifetime, b: Lifetime) => a.first <= b.last && b.first <= a.last;

Deno.test("lifetimes that overlap never share a slot, and every lifetime fits its slot", () => {
  fc.assert(
    fc.property(fc.array(lifetime, { maxLength: 40 }), (lifetimes) => {
      const { slots, assignment } = assignSlots(lifetimes);
      assert.equal(assignment.length, lifetimes.length);
      lifetimes.forEach((a, i) => {
        assert.ok(a.bytes <= slots[assignment[i]!]!, "fits");
        lifetimes.forEach((b, j) => {
          if (i < j && assignment[i] === assignment[j]) assert.ok(!overlap(a, b), `${i} and ${j} share a slot`);
        });
      });
      assert.deepEqual(slots, slots.toSorted((a, b) => b - a), "largest first");
      assert.ok(slots.every((_, slot) => assignment.includes(slot)), "no slot for nothing");
      const live = (at: number) =>
        lifetimes.filter(({ first, last }) => first <= at && at <= last).reduce((sum, { bytes }) => sum + bytes, 0);
      const total = slots.reduce((sum, bytes) => sum + bytes, 0);
      for (let at = 0; at <= 60; at++) assert.ok(total >= live(at));
      assert.ok(total <= lifetimes.reduce((sum, { bytes }) => sum + bytes, 0));
    }),
    { numRuns: 300 },
  );
});

Deno.test("two lifetimes in a row share one slot, as large as the larger", () => {
  const chain = [0, 1, 2, 3, 4].map((i) => ({ bytes: 16 * (i + 1), first: i, last: i + 1 }));
  assert.deepEqual(assignSlots(chain), { slots: [80, 64], assignment: [0, 1, 0, 1, 0] });
  assert.deepEqual(assignSlots([]), { slots: [], assignment: [] });
});

Deno.test("a lifetime that ends where another begins does not share its slot", () => {
  const { assignment } = assignSlots([{ bytes: 16, first: 0, last: 3 }, { bytes: 16, first: 3, last: 4 }]);
  assert.notEqual(assignment[0], assignment[1]);
});
