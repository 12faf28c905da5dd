import assert from "node:assert/strict";
import { roundOrder } from "../../../runtime/experiment/rounds/order.ts";

/** Counts how often each arm directly follows each other arm, and has each position, over a cycle. */
function count(arms: number, rounds: readonly number[], seed = 1) {
  const after = new Map<string, number>();
  const places = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const round of rounds) {
    const order = roundOrder(arms, seed, round);
    assert.deepEqual(order.toSorted((a, b) => a - b), Array.from({ length: arms }, (_, i) => i));
    order.forEach((arm, place) => {
      add(places, `${arm} at ${place}`);
      if (place > 0) add(after, `${order[place - 1]} ${arm}`);
    });
  }
  return { after, places };
}

Deno.test("over a cycle, each arm follows each other arm and has each position equally often", () => {
  for (const arms of [1, 2, 3, 4, 5, 6, 7, 10, 64, 65]) {
    const cycle = arms % 2 === 0 ? arms : 2 * arms;
    const times = cycle / arms;
    for (const first of [0, cycle, 3 * cycle]) {
      const { after, places } = count(arms, Array.from({ length: cycle }, (_, i) => first + i));
      assert.equal(after.size, arms * (arms - 1), `${arms} arms: every ordered pair`);
      assert.ok([...after.values()].every((n) => n === times), `${arms} arms: neighbours`);
      assert.equal(places.size, arms * arms);
      assert.ok([...places.values()].every((n) => n === times), `${arms} arms: places`);
    }
  }
});

Deno.test("within a cycle of an even number of arms, no arm follows another twice", () => {
  const { after } = count(6, [0, 1, 2, 3]);
  assert.ok([...after.values()].every((n) => n === 1));
});

Deno.test("the order depends on the seed and differs between cycles", () => {
  const orders = (seed: number, from: number) => Array.from({ length: 6 }, (_, i) => roundOrder(6, seed, from + i));
  assert.deepEqual(orders(7, 0), orders(7, 0));
  assert.notDeepEqual(orders(7, 0), orders(8, 0));
  assert.notDeepEqual(orders(7, 0), orders(7, 6));
});
