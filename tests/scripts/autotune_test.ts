import assert from "node:assert/strict";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import autotune, { tuningBars } from "../../scripts/autotune.ts";
import { metric, result, variant } from "../report/result_fixture.ts";

Deno.test("the search times everything before the second step, and shares no times with autotune", () => {
  const { variants } = resolveScenario(autotune);
  const settings = variants.map(({ config: { compile } }) => compile.autotune);
  assert.deepEqual(variants.map(({ name }) => name), ["defaults", "exhaustive", "tuned"]);
  assert.equal(settings[0], null);
  assert.equal(settings[1]!.stop - settings[1]!.start, 1);
  assert.notEqual(settings[1]!.cache, settings[2]!.cache);
});

Deno.test("a bar has the speed, the time to choose and the hits of the cache", () => {
  const op = {
    op: "conv2d",
    nodes: [],
    inputs: [],
    outputs: [],
    source: "cache",
    chosen: "a",
    candidates: [],
  } as const;
  const ops = [op, op, op, op].map((one) => ({ ...one, nodes: [], inputs: [], outputs: [], candidates: [] }));
  const tuned = (spent: number, hits: number) => ({
    ...{ ops, hits, spent, before: 2, after: 1, clock: "device" as const, cache: "t.json", warnings: [] },
  });
  const measured = (name: string, speed: number, autotune: ReturnType<typeof tuned> | null) => {
    const { metrics } = variant(name);
    return variant(name, { metrics: { ...metrics, ips: metric(speed, "images/s") }, autotune });
  };
  const bars = tuningBars(result([
    measured("defaults", 100, null),
    measured("exhaustive", 200, tuned(12_340, 0)),
    measured("tuned", 198, tuned(500, 3)),
  ]));
  assert.match(bars[0]!, /^defaults {4}█{20} {21}100\.0 images\/s$/);
  assert.match(bars[1]!, /^exhaustive {2}█{40} 200\.0 images\/s, 12\.3 s to choose, 0 % of 4 ops from the cache$/);
  assert.match(bars[2]!, /, 0\.5 s to choose, 75 % of 4 ops from the cache$/);
});
