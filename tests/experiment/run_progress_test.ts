import assert from "node:assert/strict";
import type { ProgressEvent } from "../../runtime/result/run_event.ts";
import { RunProgress } from "../../runtime/experiment/run_progress.ts";

/** Creates progress with a manual clock, and records its events. */
function rehearse(steps: number, ablated: number) {
  const clock = { now: 0 };
  const emitted: ProgressEvent[] = [];
  const progress = new RunProgress((event) => event.type === "progress" && emitted.push(event), {
    steps,
    ablated,
    now: () => clock.now,
  });
  return { clock, progress, fraction: () => emitted.at(-1)!.fraction!, last: () => emitted.at(-1)! };
}

Deno.test("without ablations, the fraction is that of the steps", () => {
  const { clock, progress, fraction } = rehearse(20, 0);
  progress.at("a", "warmup", 0, 10);
  assert.equal(fraction(), 0);
  progress.advance(10);
  clock.now = 60_000;
  progress.at("a", "measure", 5, 10);
  assert.equal(fraction(), 0.75);
});

Deno.test("the fraction follows the steps that are still expected", () => {
  const { progress, fraction } = rehearse(1000, 0);
  progress.advance(10);
  progress.expect(30);
  progress.at("a", "measure", 5, 10);
  assert.equal(fraction(), 15 / 40);
  progress.expect(10);
  progress.at("a", "measure", 5, 10);
  assert.equal(fraction(), 15 / 20);
});

Deno.test("ablations count with their expected time, then with their measured time", () => {
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

Deno.test("a run that needs fewer steps than expected still ends at 1", () => {
  const { clock, progress, fraction } = rehearse(100, 1);
  progress.at("a", "measure", 1, 10);
  clock.now = 1000;
  progress.ablation("a", 0.5, 1, "round 4/9");
  clock.now = 2000;
  progress.ablation("a", 1, 1, "round 9/9");
  assert.equal(fraction(), 1);
});
