import { deepEqual } from "node:assert/strict";
import { stalledOps } from "../../runtime/analysis/op_stalls.ts";
import { op } from "../report/profile_fixture.ts";

Deno.test("stalled ops are those with a call far beyond the median that is a large part of a step", () => {
  const ops = [
    op("long", "linear", 10, { max: 49 }), // Less than 5 medians
    op("short", "relu", 0.01, { max: 0.5 }), // Less than 5 % of a step
    op("stalled", "linear", 1, { max: 6 }),
    op("worse", "linear", 1, { max: 176 }),
    op("rare", "linear", 1, { max: 176, calls: 2 }),
    op("untimed", "linear", null),
  ];
  deepEqual(stalledOps(ops).map(({ op: { id }, worst, median }) => [id, worst, median]), [
    ["worse", 176, 1],
    ["stalled", 6, 1],
  ]);
});
