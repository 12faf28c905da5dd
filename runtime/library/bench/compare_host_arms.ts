import type { Device } from "../../device/device.ts";
import type { Arm } from "../../experiment/arm.ts";
import { Attempts } from "../../experiment/attempts.ts";
import { measureArms } from "../../experiment/measure_arms.ts";
import { composeResult } from "../../experiment/result.ts";
import { leastRounds } from "../../experiment/rounds/stopping.ts";
import { RunProgress } from "../../experiment/run_progress.ts";
import { machineState, preflightWarnings } from "../../experiment/start/preflight.ts";
import type { Result } from "../../result/schema.ts";
import type { MeasureConfig } from "../../scenario/schema.ts";
import type { Script } from "../script.ts";
import type { Connection } from "../measure_kept.ts";

/** Arms that are not variants of a scenario, to be timed on the host. */
export interface HostComparison {
  readonly variants: readonly Arm[];
  readonly controlArm: Arm | null;
  readonly name: string;
  readonly seed: number;
  readonly baseline: string;
  /** Device that all arms use; null if none does in this process. */
  readonly device: Device | null;
  readonly script: Script;
  /** Returns the settings of the measurement, once the arms are prepared. */
  size(attempts: Attempts): Promise<MeasureConfig>;
}

/** Compares arms by the procedure of a scenario, and closes them. */
export async function compareHostArms(
  { variants, controlArm, name, seed, baseline, device, script, size }: HostComparison,
  { onEvent: emit, interrupted, runRecorder }: Connection,
): Promise<Result> {
  const arms = controlArm === null ? variants : [...variants, controlArm];
  const attempts = new Attempts(arms, device, interrupted, emit);
  emit({ type: "start", scenario: name, seed, baseline, variants: variants.map(({ name }) => name) });
  try {
    const preflight = preflightWarnings(await machineState(device?.info ?? null));
    for (const warning of preflight) emit({ type: "warning", ...warning });
    for (const arm of arms) await attempts.attempt(arm, () => arm.prepare(0));
    const measure = await size(attempts);
    const { skip, maxSkip, steps, rounds } = measure;
    const rules = { ...measure, ...variants.length < 2 ? { precision: null } : {} };
    const least = skip + leastRounds(rules) * steps;
    const measured = await measureArms({
      ...{ arms, baseline, controlArm, seed, device, attempts, emit, runRecorder, interrupted, rules },
      schedule: { skip, maxSkip, steps, rounds, epochs: false },
      progress: new RunProgress(emit, { arms: arms.length, steps: arms.length * least }),
      profile: null,
      ablations: false,
      kernelsChosen: () => {},
    });
    const result = await composeResult({
      ...measured,
      scenario: {
        ...{ name, params: {}, seed, baseline, measure, epochs: null, memoryBudget: null },
        ...{ aliases: [], adapted: null, tolerance: () => null },
        variants: variants.map(({ name }) => ({ name, settings: {} })),
      },
      options: { script, runRecorder, onEvent: emit },
      adapter: device?.info ?? null,
      arms: variants,
      controlArm,
      warnings: [...preflight, ...measured.warnings],
      peaks: () => Promise.resolve(null),
    });
    for (const warning of result.procedure!.warnings.slice(preflight.length)) emit({ type: "warning", ...warning });
    emit({ type: "result", result });
    return result;
  } finally {
    for (const arm of arms) await arm.close();
  }
}
