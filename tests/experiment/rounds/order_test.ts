import assert from "node:assert/strict";
import { roundOrder } from "../../../runtime/experiment/rounds/order.ts";

const orders = (arms: number, seed: number, rounds: number) =>
  Array.from({ length: rounds }, (_, round) => roundOrder(arms, seed, round));

Deno.test("each round runs every arm once", () => {
  for (const arms of [1, 2, 3, 4, 5, 10, 64]) {
    for (const order of orders(arms, 1, 12)) {
      assert.deepEqual(order.toSorted((a, b) => a - b), Array.from({ length: arms }, (_, i) => i));
    }
  }
});

Deno.test("a round begins with the arm that ended the one before", () => {
  for (const arms of [3, 4, 7]) {
    const all = orders(arms, 5, 20);
    all.slice(1).forEach((order, i) => assert.equal(order[0], all[i]!.at(-1)));
  }
});

Deno.test("each arm follows each arm, itself included, and has each place about equally often", () => {
  const rounds = 400;
  for (const arms of [3, 4, 6]) {
    const sequence = orders(arms, 2, rounds);
    const after = new Map<string, number>();
    const places = new Map<string, number>();
    const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
    sequence.flat().forEach((arm, i, all) => i > 0 && add(after, `${all[i - 1]} ${arm}`));
    for (const order of sequence) order.forEach((arm, place) => add(places, `${arm} at ${place}`));
    for (const counts of [after, places]) {
      assert.equal(counts.size, arms * arms);
      const usual = rounds / arms;
      assert.ok([...counts.values()].every((n) => Math.abs(n - usual) < 5 * Math.sqrt(usual)), `${arms} arms`);
    }
  }
});

Deno.test("a round seldom ends with the arm that the round before began with", () => {
  const all = orders(3, 9, 400);
  const returns = all.slice(1).filter((order, i) => order.at(-1) === all[i]![0]).length / 399;
  assert.ok(returns > 0.14 && returns < 0.26, `${returns}`);
});

Deno.test("two arms run in random order, so that each begins half of the rounds", () => {
  const first = orders(2, 3, 200).filter(([arm]) => arm === 0).length;
  assert.ok(first > 70 && first < 130, `${first} of 200`);
});

Deno.test("the order is drawn from the seed", () => {
  assert.deepEqual(orders(6, 7, 8), orders(6, 7, 8));
  assert.notDeepEqual(orders(6, 7, 8), orders(6, 8, 8));
});
