import type { ResolvedScenario } from "../scenario/resolve.ts";
import { ablatedArms, type MeasureOptions, profiledArms } from "./measure_arms.ts";
import { leastOpRounds } from "./op_rounds.ts";
import type { PlannedArms } from "./plan_arms.ts";
import { leastRounds } from "./rounds/stopping.ts";
import type { ExpectedWork } from "./run_progress.ts";
import { blockSteps, warmUpSteps } from "./start/step_counts.ts";

/** Returns the work of an experiment that is known before it starts, for the estimate of the time left. */
export function expectedWork(
  { measure, seeds, target }: Pick<ResolvedScenario, "measure" | "seeds" | "target">,
  { arms, runs, variants, controlArm, rules, schedule }: PlannedArms,
  measured: Pick<MeasureOptions, "arms" | "controlArm" | "unprofiled" | "ablations" | "profile">,
): ExpectedWork {
  const rounds = leastRounds(rules);
  const running = arms.filter((arm) => arm.running);
  const steps = running.map(({ unit, tuning }) =>
    warmUpSteps(schedule, unit, tuning?.switchStep).least + rounds * blockSteps(schedule, unit, 1)
  );
  const trained =
    variants.filter(({ variant: { config } }, i) =>
      config.optimizer !== null && runs[i]!.running && runs[i] !== controlArm
    ).length;
  const profiled = profiledArms(measured);
  return {
    arms: running.length,
    steps: steps.reduce((sum, one) => sum + one, 0),
    profiled: profiled.filter((arm) => measured.profile !== null || arm.profiling?.always === true).length,
    timedSteps: measured.profile === null ? 0 : leastOpRounds(measure.opRounds) * profiled.length,
    ablated: ablatedArms(measured).length,
    ...seeds === null ? {} : { seeds: { trainings: seeds * trained, steps: Math.min(...steps) } },
    ...target === null ? {} : { target: { trainings: target.seeds * trained, steps: target.maxSteps } },
  };
}
