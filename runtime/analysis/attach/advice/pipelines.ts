import { count, counted, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";
import type { StepFacts } from "./facts.ts";

/** Pipelines that the evidence names. */
const MAX_NAMES = 3;

/** Proposes to create pipelines once if steps create them. */
export const pipelines = programRule("pipelines", (facts) => {
  const { counts, account, starved, steps } = facts;
  const made = madeInSteps(facts);
  if (made.length === 0) return null;
  // Asynchronous pipelines keep the device idle beyond the call
  const time = Math.max(counts.compileMs, account?.idle.compile ?? 0);
  return {
    message: `${counted(counts.pipelines, "pipeline")} and ${
      counted(counts.modules, "shader module")
    } created per step`,
    fix: "create each pipeline before the first step, and keep it by its code; pass sizes as uniforms instead of " +
      "writing them into the code",
    evidence: [
      {
        label: `pipelines created in ${counted(steps.length, "step")}`,
        value: made.slice(0, MAX_NAMES).map(({ name, times }) => `${name} (${count(times)})`).join(", "),
      },
      { label: "compiling per step", value: ms(time) },
    ],
    mostMs: Math.min(time, starved),
    reasoning:
      "time in the calls and until asynchronous pipelines are ready, capped by the device's time without submitted work",
  };
});

/** Returns the pipelines made in the steps, the most frequent first. In a warm-up only those that steps make repeatedly. */
function madeInSteps({ device, steps }: StepFacts): { name: string; times: number }[] {
  const [first] = steps;
  const from = device.steps.steps.indexOf(first!);
  const own = device.pipelines.filter(({ step, inSteadyStep }) => step !== null && (inSteadyStep || step >= from));
  const groups = [...Map.groupBy(own, ({ name }) => name)].map(([name, { length }]) => ({ name, times: length }));
  return groups.filter(({ times }) => !first!.warmUp || times > 1).sort((a, b) => b.times - a.times);
}
