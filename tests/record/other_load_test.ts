import assert from "node:assert/strict";
import { loadBetween, otherLoad, watchOtherLoad } from "../../runtime/record/other_load.ts";

const start = { busy: 500, total: 1000, cores: 2, own: 40, time: 1000 };

Deno.test("the load by other processes is the busy share of all cores without this process", () => {
  // 100 ticks of two cores over 0.5 s, 60 of them busy, 40 by this process in 200 ms of one core
  const after = { busy: 560, total: 1100, cores: 2, own: 240, time: 1500 };
  assert(Math.abs(loadBetween(start, after)! - 0.4) < 1e-9);
  assert.equal(loadBetween(start, { ...after, own: 840 }), 0, "rounding of ticks gives no negative load");
});

Deno.test("a load over too short a time is unknown", () => {
  assert.equal(loadBetween(start, { ...start, busy: 501, total: 1002, time: 1010 }), null);
  assert.equal(watchOtherLoad()(), null);
});

Deno.test({
  name: "the system's load is a fraction of all cores",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const load = await otherLoad();
    assert(load !== null && load >= 0 && load <= 1.05, `${load}`);
  },
});
