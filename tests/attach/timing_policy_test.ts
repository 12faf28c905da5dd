import { deepStrictEqual, ok } from "node:assert/strict";
import { TimingPolicy } from "../../runtime/attach/timing_policy.ts";

/** Runs steps, timed as the policy decides, and returns which were. */
function simulate(
  policy: TimingPolicy,
  steps: number,
  { dispatches, slowdown }: { dispatches: number; slowdown: number },
) {
  let timed = true;
  return Array.from({ length: steps }, () => {
    const was = timed;
    timed = policy.step(was ? 10 * (1 + slowdown) : 10, { dispatches: was ? dispatches : 0, of: dispatches });
    return was;
  });
}

const count = (timed: readonly boolean[]) => timed.filter((was) => was).length;

Deno.test("every other step is timed while timing is cheap", () => {
  const timed = simulate(new TimingPolicy(0.05), 100, { dispatches: 10, slowdown: 0.01 });
  deepStrictEqual(timed.slice(0, 6), [true, false, true, false, true, false]);
  deepStrictEqual(count(timed), 50);
});

Deno.test("fewer steps are timed where the budget would be exceeded", () => {
  const timed = simulate(new TimingPolicy(0.05), 1000, { dispatches: 10, slowdown: 1 });
  const slowdown = count(timed.slice(100)) / 900;
  ok(slowdown <= 0.051 && slowdown > 0.04, `slowed down by ${slowdown}`);
});

Deno.test("the number of timed dispatches grows with the logarithm of the steps", () => {
  const policy = new TimingPolicy(1);
  const [short, long] = [10_000, 90_000].map((steps) =>
    1000 * count(simulate(policy, steps, { dispatches: 1000, slowdown: 0 }))
  );
  ok(short! < 1_500_000, `${short}`);
  ok(long! < 500_000, `${long}`);
});

Deno.test("a program without steps is timed up to a limit", () => {
  const policy = new TimingPolicy(0.05);
  let dispatches = 0;
  while (policy.unknown(5000)) dispatches += 5000;
  ok(dispatches < 1_000_000);
});

Deno.test("two steps in a row are timed where work of a step may still run after it", () => {
  const policy = new TimingPolicy(1);
  let timed = true;
  const steps = Array.from({ length: 10 }, () => {
    const was = timed;
    timed = policy.step(10, { dispatches: was ? 1 : 0, of: 1 }, true);
    return was;
  });
  deepStrictEqual(steps, [true, true, false, false, true, true, false, false, true, true]);
});
