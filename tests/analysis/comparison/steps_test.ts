import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { outliersOf, stepTimesOf } from "../../../runtime/analysis/comparison/steps.ts";
import type { Block } from "../../../runtime/result/schema.ts";
import { blocks, timedStep } from "./arms.ts";

function block(costs: readonly (number | null)[]): Block {
  const steps = costs.map((batchCost, index) => timedStep(index, batchCost));
  return { round: 0, position: 0, samples: 10, wall: 100, steps };
}

Deno.test("step times are those of all blocks", () => {
  const times = stepTimesOf([
    block(Array.from({ length: 60 }, (_, i) => i)),
    block(Array.from({ length: 41 }, (_, i) => 60 + i)),
  ]);
  deepStrictEqual(times, { median: 50, p95: 95, p99: 99, max: 100, steps: 101 });
  deepStrictEqual(stepTimesOf([block([3, null])]), { median: 3, p95: 3, p99: 3, max: 3, steps: 1 });
});

Deno.test("no timed step, no step times", () => {
  strictEqual(stepTimesOf([]), null);
  strictEqual(stepTimesOf([block([null, null])]), null);
});

Deno.test("outliers are counted by how far they lie outside", () => {
  const walls = [100, 101, 102, 103, 104, 105, 106, 107];
  deepStrictEqual(outliersOf(blocks(walls)), { mild: 0, severe: 0, blocks: 8 });
  deepStrictEqual(outliersOf(blocks([...walls, 115])), { mild: 1, severe: 0, blocks: 9 });
  deepStrictEqual(outliersOf(blocks([...walls, 500, 1])), { mild: 0, severe: 2, blocks: 10 });
});

Deno.test("few blocks have no outliers to tell, equal ones none", () => {
  strictEqual(outliersOf(blocks([1, 1, 1, 900])), null);
  strictEqual(outliersOf(blocks([1, 1, 1, 0, 900])), null);
  deepStrictEqual(outliersOf(blocks([5, 5, 5, 5, 5])), { mild: 0, severe: 0, blocks: 5 });
});
