import assert from "node:assert/strict";
import type { ProgressEvent } from "../../runtime/result/run_event.ts";
import { type ExpectedWork, RunProgress } from "../../runtime/experiment/run_progress.ts";

/** Creates progress with a manual clock, and records its events. */
function rehearse(work: Partial<ExpectedWork>) {
  const clock = { now: 0 };
  const emitted: ProgressEvent[] = [];
  const progress = new RunProgress((event) => event.type === "progress" && emitted.push(event), {
    ...{ arms: 0, steps: 1, now: () => clock.now },
    ...work,
  });
  const at = (now: number, ...event: Parameters<RunProgress["at"]>) => {
    clock.now = now;
    progress.at(...event);
    return emitted.at(-1)!.fraction!;
  };
  return { clock, progress, at, fraction: () => emitted.at(-1)!.fraction!, last: () => emitted.at(-1)! };
}

function close(actual: number, expected: number, message?: string): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${message ?? "fraction"}: ${actual} instead of ${expected}`);
}

Deno.test("the fraction is that of the steps at their pace so far", () => {
  const { progress, at } = rehearse({ steps: 20 });
  assert.equal(at(0, "a", "warmup", 0, 10), 0);
  close(at(5000, "a", "warmup", 5, 10), 0.25);
  at(10_000, "a", "warmup", 10, 10);
  progress.advance(10);
  close(at(10_000, "a", "measure", 0, 10), 0.5);
  close(at(15_000, "a", "measure", 5, 10), 0.75);
});

Deno.test("compilation moves the progress before the first step, and counts with its time from then on", () => {
  const { at } = rehearse({ arms: 2, steps: 20 });
  const before = [
    at(0, "a", "compile"),
    at(1000, "a", "compile", 1, 4),
    at(4000, "a", "compile", 4, 4),
  ];
  assert.ok(before[0] === 0 && before[1]! > 0 && before[2]! > before[1]!, before.join());
  at(4000, "a", "warmup", 0, 10);
  // 4 s of compilation and 2 s of steps; 4 s of compilation and 8 s of steps to go
  close(at(6000, "a", "warmup", 4, 10), 6 / 18);
});

Deno.test("the fraction follows the steps that are still expected, but never falls", () => {
  const { progress, at } = rehearse({ steps: 1000 });
  at(0, "a", "measure", 0, 10);
  progress.advance(10);
  progress.expect(30);
  close(at(1500, "a", "measure", 5, 10), 15 / 40);
  progress.expect(10);
  close(at(1500, "a", "measure", 5, 10), 15 / 20);
  progress.expect(1000);
  close(at(1500, "a", "measure", 5, 10), 15 / 20);
});

Deno.test("ablations count with their expected time, then with their measured time", () => {
  const { clock, progress, at, fraction, last } = rehearse({ steps: 20, ablated: 2 });
  at(0, "a", "warmup", 0, 10);
  at(2000, "a", "warmup", 10, 10);
  progress.advance(10);
  close(at(2000, "a", "measure", 0, 10), 2 / (2 + 2 + 16), "2 s done, 2 s of steps and 8 s for each variant to go");
  at(4000, "a", "measure", 10, 10);
  progress.advance(10);
  progress.ablation("a", 0, 2, "round 0/9");
  close(fraction(), 4 / (4 + 16));
  clock.now = 8000;
  progress.ablation("a", 1, 2, "round 9/9");
  close(fraction(), 8 / (8 + 4), "the second takes as long as the first");
  assert.deepEqual([last().stage, last().message, last().steps], ["profile", "round 9/9", 0]);
  clock.now = 12_000;
  progress.ablation("b", 2, 2, "round 9/9");
  assert.equal(fraction(), 1);
});

Deno.test("steps that time ops count as steps, then with their measured time, and more of them keep the end away", () => {
  const { clock, progress, at, fraction, last } = rehearse({ steps: 10, timedSteps: 20 });
  at(0, "a", "measure", 0, 10);
  close(at(1000, "a", "measure", 10, 10), 1 / (1 + 2));
  progress.advance(10);
  progress.opTimes("a", 0, 20, "times of ops, round 1");
  clock.now = 3000;
  progress.opTimes("b", 10, 20, "times of ops, round 6");
  close(fraction(), 3 / (3 + 2));
  assert.deepEqual([last().stage, last().message, last().steps], ["profile", "times of ops, round 6", 0]);
  clock.now = 5000;
  progress.opTimes("a", 20, 22, "times of ops, round 11");
  close(fraction(), 5 / (5 + 0.4));
});

Deno.test("profiled steps, peaks and further trainings are part of the run", () => {
  const { progress, at } = rehearse({ steps: 10, profiled: 2, seeds: { trainings: 4, steps: 5 } });
  progress.expectPeaks();
  at(0, "a", "measure", 0, 10);
  // 1 s a variant to profile, 3 s of peaks, and 4 trainings of 0.5 s
  close(at(1000, "a", "measure", 10, 10), 1 / (1 + 2 + 3 + 2));
  progress.advance(10);
  at(1000, "a", "profile", 0, 3);
  close(at(3000, "a", "profile", 3, 3), 3 / (3 + 2 + 3 + 2), "the second variant takes as long as the first");
  at(3000, "b", "profile", 0, 3);
  close(at(5000, "b", "profile", 3, 3), 5 / (5 + 3 + 2));
  at(5000, null, "peaks", 0, 4);
  close(at(6000, null, "peaks", 1, 4), 6 / (6 + 3 + 2));
  close(at(9000, null, "peaks", 4, 4), 9 / (9 + 2));
  for (const [i, message] of ["seed 1/2", "seed 1/2", "seed 2/2", "seed 2/2"].entries()) {
    const name = i % 2 === 0 ? "a" : "b";
    at(9000 + 500 * i, name, "seeds", 0, 5, { message });
    close(at(9500 + 500 * i, name, "seeds", 5, 5, { message }), (9.5 + 0.5 * i) / 11, `training ${i + 1}`);
  }
});

Deno.test("a run that needs fewer steps than expected still ends at 1", () => {
  const { clock, progress, at, fraction } = rehearse({ steps: 100, ablated: 1 });
  at(0, "a", "measure", 1, 10);
  clock.now = 1000;
  progress.ablation("a", 0.5, 1, "round 4/9");
  clock.now = 2000;
  progress.ablation("a", 1, 1, "round 9/9");
  assert.equal(fraction(), 1);
});
