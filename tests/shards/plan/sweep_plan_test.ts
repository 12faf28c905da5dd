import assert from "node:assert/strict";
import { join } from "node:path";
import { scenario, syntheticImages } from "../../../mod.ts";
import { numberRanges, planFileName, planSweep, type Sweep } from "../../../runtime/shards/plan/sweep_plan.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { spec } from "../../store/synthetic_run.ts";

const SWEEP: Sweep = {
  scenario: resolveScenario(scenario({
    name: "planned",
    data: syntheticImages({ height: 2, width: 2, classes: 4, length: 16 }),
    sweep: { "loader.batchSize": [1, 2, 4, 8] },
  })),
  spec: spec(),
  shards: 2,
  replicate: 1,
  earlier: () => [],
};

Deno.test("without hard links, a plan is kept all the same, the first one counts, and one being written is awaited", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, planFileName("planned", 2));
  const { linkSync } = Deno;
  try {
    Deno.linkSync = () => {
      throw new Deno.errors.PermissionDenied("Operation not permitted (os error 1)");
    };
    const plan = await planSweep(SWEEP, folder, true);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), [planFileName("planned", 2)]);
    assert.deepEqual(await planSweep(SWEEP, folder, true), { format: 1, ...plan });
    await assert.rejects(
      planSweep({ ...SWEEP, spec: spec({ seed: 2 }) }, folder, true),
      /plan of a sweep with other settings/,
    );

    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.slice(0, 40));
    const waiting = planSweep(SWEEP, folder, true);
    await Deno.writeTextFile(path, text);
    assert.deepEqual(await waiting, { format: 1, ...plan });
    await Deno.writeTextFile(path, "{}\n");
    await assert.rejects(planSweep(SWEEP, folder, true), /is damaged; remove it/);
  } finally {
    Deno.linkSync = linkSync;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("runs of numbers are listed as ranges", () => {
  assert.deepEqual([[], [4], [1, 2], [1, 3, 4, 5, 9, 10]].map(numberRanges), ["", "4", "1, 2", "1, 3-5, 9, 10"]);
});
