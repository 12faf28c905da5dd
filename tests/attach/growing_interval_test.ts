import { deepStrictEqual } from "node:assert/strict";
import { GrowingInterval } from "../../runtime/attach/growing_interval.ts";

Deno.test("what is due at once becomes rare: its intervals double up to a second", () => {
  const interval = new GrowingInterval();
  const times: number[] = [];
  for (let time = 0; time < 4600; time++) {
    if (!interval.due(time)) continue;
    interval.begin(time);
    times.push(time);
  }
  const distances = times.slice(1).map((time, i) => time - times[i]! - 1);
  deepStrictEqual([times[0], ...distances], [0, 50, 100, 200, 400, 800, 1000, 1000, 1000]);
});
