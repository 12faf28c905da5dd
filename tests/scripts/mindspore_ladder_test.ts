import assert from "node:assert/strict";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import ladder, { ladderTable, RUNGS } from "../../scripts/mindspore_ladder.ts";
import { variant } from "../report/result_fixture.ts";

/** A variant with blocks of 1000 ms at the start's speed; `unsteady` is half and twice as fast in turns. */
function measured(name: string, gain: number, unsteady = false) {
  const rounds = Array.from(
    { length: 8 },
    (_, round) => ({ round, factor: !unsteady ? 1 : round % 2 === 0 ? 0.5 : 2 }),
  );
  return variant(name, {
    blocks: rounds.map(({ round, factor }) => ({
      ...{ round, position: 0, samples: 320, steps: [] },
      wall: 1000 / gain / factor,
    })),
  });
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

Deno.test("each rung stands beside the published throughput and gain, in the published order", () => {
  const [title, head, start, ...rows] = ladderTable({ variants: [measured("start", 1), ...measurements] });
  assert.match(title!, /published: MindSpore on an Ascend 910$/);
  assert.match(
    head!,
    /^rung +change +published +gain +measured +gain +95 % interval +since the start +published gap +gap ms$/,
  );
  assert.match(start!, /^start +1100 /);
  const read = rows.slice(0, 4).map((row) =>
    / (\d{4}) +(×[\d.]+) +\S+ +(×[\d.]+) +[\d.]+-[\d.]+ +(×[\d.]+) /.exec(row)!.slice(1)
  );
  assert.deepEqual(read, [
    ["2150", "×1.95", "×4.00", "×4.00"],
    ["2250", "×1.05", "×1.01", "×4.04"],
    ["2350", "×1.04", "×1.50", "×6.06"],
    ["3500", "×1.49", "×0.99", "×6.00"],
  ]);
  assert.deepEqual(rows.slice(4).map((line) => line.split(":")[0]), [
    "No clear gain in this run, and the time that the rung could shorten",
    "uniform",
    "o3",
  ]);
});

Deno.test("the iteration gap stands before and after each rung, beside the published one", () => {
  const gap = (name: string, ms: number | null) => {
    const arm = measured(name, 1);
    const iterationGap = ms === null ? null : { value: ms, min: ms, max: ms, unit: "ms" as const, amortised: false };
    return { ...arm, metrics: { ...arm.metrics, iterationGap } };
  };
  const table = ladderTable({ variants: [gap("start", 80.04), gap("workers", 20), gap("uniform", null)] });
  assert.match(table.find((line) => line.startsWith("workers"))!, / 77\.5 -> 17\.1 +80\.0 -> 20\.0$/);
  assert.match(table.find((line) => line.startsWith("uniform"))!, / – +20\.0 -> –$/);
});

Deno.test("a rung without a clear gain has the times of the run that it could shorten", () => {
  const ms = (value: number) => ({ value, min: value, max: value, unit: "ms" as const, amortised: false });
  const with_ = (name: string, gap: number | null, unsteady: boolean) => {
    const arm = measured(name, 1, unsteady);
    return { ...arm, metrics: { ...arm.metrics, batchCost: ms(209.4), iterationGap: gap === null ? null : ms(gap) } };
  };
  const table = ladderTable({ variants: [with_("uniform", 16.04, false), with_("sink", null, true)] });
  assert.equal(
    table.at(-1),
    "sink: the device idle between steps: 16.0 of 209 ms per step in uniform, – of 209 ms per step in sink",
  );
});

Deno.test("a rung without the one before it has no gain over it, and a result without rungs no table", () => {
  const table = ladderTable({ variants: [measured("start", 1), measured("sink", 2)] });
  assert.match(table.at(-1)!, /^sink .* ×1\.04 +\S+ +– +– +×2\.00 /);
  assert.deepEqual(ladderTable({ variants: [measured("other", 1)] }), []);
});
