import assert from "node:assert/strict";
import { timedStep } from "../analysis/comparison/arms.ts";
import { runWarnings, type Seen } from "../../runtime/experiment/run_warnings.ts";

const copy = { name: "base", status: "ok", error: null, losses: [2, 1.5, "NaN", 1] } satisfies Seen["baseline"];
const QUIET: Seen = { aliases: [], baseline: copy, controlArm: { ...copy, name: "base#2" }, trend: null, variants: [] };

const kinds = (seen: Partial<Seen>) => runWarnings({ ...QUIET, ...seen }).map(({ kind }) => kind);

Deno.test("a run without problems has no warnings", () => {
  assert.deepEqual(kinds({}), []);
  assert.deepEqual(kinds({ baseline: undefined, controlArm: null }), []);
  assert.deepEqual(kinds({ controlArm: { ...copy, losses: [2, 1.5] } }), [], "one got further");
});

Deno.test("a control arm with other losses than the baseline causes a warning with the step", () => {
  const [warning] = runWarnings({ ...QUIET, controlArm: { ...copy, losses: [2, 1.5, 7, 0] } });
  assert.equal(warning!.kind, "not-deterministic");
  assert.match(warning!.message, /"base" and its control arm differ in the loss of step 2/);
});

Deno.test("a failed control arm causes a warning unless the baseline failed too", () => {
  const error = { message: "The GPU refused a command", exitStatus: 3 };
  const failed = { ...copy, status: "failed", error } as const;
  assert.deepEqual(kinds({ controlArm: failed }), ["second-arm"]);
  assert.deepEqual(kinds({ baseline: failed, controlArm: failed }), []);
});

Deno.test("a significant slow-down of the probe kernel causes a warning", () => {
  assert.deepEqual(kinds({ trend: { change: 0.2, significant: true } }), ["throttling"]);
  for (const trend of [{ change: 0.2, significant: false }, { change: 0.03, significant: true }]) {
    assert.deepEqual(kinds({ trend }), []);
  }
  assert.deepEqual(kinds({ trend: { change: -0.2, significant: true } }), []);
});

Deno.test("blocks shorter than a scheduling delay cause a warning with enough steps", () => {
  const step = timedStep(0, 1);
  const blocks = (...walls: number[]) =>
    walls.map((wall, round) => ({ round, position: 0, samples: 4, wall, steps: [step, step] }));
  const variants = [{ name: "long", blocks: blocks(60, 50, 70) }, { name: "fast", blocks: blocks(200, 4, 5) }];
  const [warning, ...rest] = runWarnings({ ...QUIET, variants });
  assert.deepEqual(rest, []);
  assert.equal(warning!.kind, "short-blocks");
  assert.match(warning!.message, /^a block of "fast" takes 5\.0 ms.*measure\.steps=20\)$/);
  assert.deepEqual(kinds({ variants: [variants[0]!, { name: "failed", blocks: [] }] }), []);
});
