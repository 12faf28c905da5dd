import assert from "node:assert/strict";
import type { ProgressEvent } from "../../runtime/result/run_event.ts";
import { RunProgress } from "../../runtime/experiment/run_progress.ts";

/** Progress with a clock that is set by hand, and the parts of the run that it told. */
function rehearse(steps: number, ablated: number) {
  const clock = { now: 0 };
  const told: ProgressEvent[] = [];
  const progress = new RunProgress((event) => event.type === "progress" && told.push(event), {
    steps,
    ablated,
    now: () => clock.now,
  });
  return { clock, progress, fraction: () => told.at(-1)!.fraction!, last: () => told.at(-1)! };
}

Deno.test("the part that is done is that of the steps where nothing comes behind them", () => {
  const { clock, progress, fraction } = rehearse(20, 0);
  progress.at("a", "warmup", 0, 10);
  assert.equal(fraction(), 0);
  progress.advance(10);
  clock.now = 60_000;
  progress.at("a", "measure", 5, 10);
  assert.equal(fraction(), 0.75);
});

Deno.test("taking steps apart is a part of the run, as long as it is expected to take and then as it takes", () => {
  const { clock, progress, fraction, last } = rehearse(20, 2);
  progress.at("a", "compile");
  assert.equal(fraction(), 0);
  clock.now = 1000;
  progress.at("a", "warmup", 0, 10);
  progress.advance(10);
  clock.now = 3000;
  progress.at("a", "measure", 0, 10);
  assert.equal(fraction(), 2 / (2 + 2 + 16), "2 s done, 2 s of steps and 8 s for each variant to go");
  progress.advance(10);
  clock.now = 5000;
  progress.ablation("a", 0, 2, "round 0/9");
  assert.equal(fraction(), 4 / (4 + 16));
  clock.now = 9000;
  progress.ablation("a", 1, 2, "round 9/9");
  assert.equal(fraction(), 8 / (8 + 4), "the second takes as long as the first");
  assert.deepEqual([last().stage, last().message, last().steps], ["profile", "round 9/9", 0]);
  clock.now = 13_000;
  progress.ablation("b", 2, 2, "round 9/9");
  progress.at(null, "profile");
  assert.equal(fraction(), 1);
});

Deno.test("a run whose steps are not all needed ends what follows at the whole", () => {
  const { clock, progress, fraction } = rehearse(100, 1);
  progress.at("a", "measure", 1, 10);
  clock.now = 1000;
  progress.ablation("a", 0.5, 1, "round 4/9");
  clock.now = 2000;
  progress.ablation("a", 1, 1, "round 9/9");
  assert.equal(fraction(), 1);
});
