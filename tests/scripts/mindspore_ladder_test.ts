import assert from "node:assert/strict";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import ladder, { ladderTable, RUNGS } from "../../scripts/mindspore_ladder.ts";
import { noMetrics, result, speedup, variant } from "../report/result_fixture.ts";

function measured(name: string, gain: number) {
  return variant(name, { metrics: { ...noMetrics, speedup: speedup(gain) } });
}

const measurements = [measured("workers", 4), measured("uniform", 4.04), measured("sink", 6.06), measured("o3", 6)];

Deno.test("each variant of the ladder adds one change to those before it", () => {
  const { variants } = resolveScenario(ladder);
  assert.deepEqual(variants.map(({ name }) => name), ["start", ...RUNGS.map(({ variant }) => variant)]);
  const settings = variants.map(({ config: { loader, data, monitor, sink, amp } }) => [
    loader.numWorkers,
    data.transforms.length,
    data.fuse,
    `${monitor} ${sink} ${amp.level}`,
  ]);
  assert.deepEqual(settings, [
    [1, 8, false, "step 0 O0"],
    [4, 8, false, "step 0 O0"],
    [4, 3, true, "step 0 O0"],
    [4, 3, true, "block 3 O0"],
    [4, 3, true, "block 3 O3"],
  ]);
});

Deno.test("each rung stands beside the published gain, and a software adapter explains those without one", () => {
  const { environment } = result([]);
  const on = (fallback: boolean) =>
    ladderTable({
      variants: [variant("start"), ...measurements],
      environment: {
        ...environment,
        adapter: { ...environment.adapter!, fallback },
      },
    });
  const [, head, ...rows] = on(false);
  assert.match(head!, /^rung +change +published +measured +since the start$/);
  assert.match(rows[0]!, /^workers +1 worker -> 4 +×4\.98 +×4\.00 +×4\.00$/);
  assert.match(rows[1]!, /^uniform .* – +×1\.01 +×4\.04$/);
  assert.match(rows[2]!, /^sink .* – +×1\.50 +×6\.06$/);
  assert.match(rows[3]!, /^o3 .* – +×0\.99 +×6\.00$/);
  assert.equal(rows.length, 4);
  const notes = on(true).slice(7);
  assert.deepEqual(notes.map((note) => note.split(":")[0]), ["uniform", "o3"]);
});

Deno.test("a rung without the one before it has no gain over it, and a result without rungs no table", () => {
  const { environment } = result([]);
  const table = ladderTable({ variants: [variant("start"), measured("sink", 2)], environment });
  assert.match(table.at(-1)!, /^sink .* – +– +×2\.00$/);
  assert.deepEqual(ladderTable({ variants: [variant("other")], environment }), []);
});
