import assert from "node:assert/strict";
import { winsorisedP } from "../../../runtime/analysis/comparison/winsorised.ts";
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

Deno.test("half of the rounds begin with the arm that ended the one before, and the others with any", () => {
  for (const arms of [3, 4, 7]) {
    const all = orders(arms, 5, 400);
    const chained = all.slice(1).filter((order, i) => order[0] === all[i]!.at(-1)).length / 399;
    const expected = 0.5 + 0.5 / arms;
    assert.ok(Math.abs(chained - expected) < 0.08, `${arms} arms: ${chained}`);
  }
});

Deno.test("each arm follows each other arm, and has each place, about equally often", () => {
  const rounds = 400;
  for (const arms of [3, 4, 6]) {
    const sequence = orders(arms, 2, rounds);
    const after = new Map<string, number>();
    const places = new Map<string, number>();
    const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
    sequence.flat().forEach((arm, i, all) =>
      i > 0 && add(after, all[i - 1] === arm ? "itself" : `${all[i - 1]} ${arm}`)
    );
    for (const order of sequence) order.forEach((arm, place) => add(places, `${arm} at ${place}`));
    const itself = after.get("itself")! / rounds;
    assert.ok(Math.abs(itself - (0.5 + 0.5 / arms)) < 0.08, `${arms} arms: ${itself}`);
    after.delete("itself");
    for (const [counts, size] of [[after, arms * (arms - 1)], [places, arms * arms]] as const) {
      assert.equal(counts.size, size);
      const usual = [...counts.values()].reduce((sum, n) => sum + n) / size;
      assert.ok([...counts.values()].every((n) => Math.abs(n - usual) < 5 * Math.sqrt(usual)), `${arms} arms`);
    }
  }
});

Deno.test("noise of any period seldom makes equal arms differ", () => {
  const experiments = 200;
  for (const rounds of [8, 20]) {
    for (const period of [0.5, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4]) {
      let significant = 0;
      for (let seed = 0; seed < experiments; seed++) {
        const differences = orders(3, seed, rounds).map((order, round) => {
          const at = (arm: number) =>
            Math.sin(2 * Math.PI * ((round + order.indexOf(arm) / 3) / period + 0.618 * seed));
          return at(0) - at(1);
        });
        if (winsorisedP(differences) < 0.05) significant++;
      }
      assert.ok(significant / experiments < 0.16, `${period} of ${rounds} rounds: ${significant}`);
    }
  }
});

Deno.test("two arms run in random order, so that each begins half of the rounds", () => {
  const first = orders(2, 3, 200).filter(([arm]) => arm === 0).length;
  assert.ok(first > 70 && first < 130, `${first} of 200`);
});

Deno.test("the order is drawn from the seed", () => {
  assert.deepEqual(orders(6, 7, 8), orders(6, 7, 8));
  assert.notDeepEqual(orders(6, 7, 8), orders(6, 8, 8));
});
