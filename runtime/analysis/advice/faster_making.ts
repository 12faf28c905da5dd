import type { AdviceContext } from "./context.ts";
import { stepWithWorkers } from "./step_parts.ts";

/**
 * Predicts the step in ms if making a batch takes `saved` ms less on its thread, including `asleep` ms of sleep.
 *
 * Without workers the loop makes the batch, so the step is shorter by as much, and without any of it as a step with a batch
 * at hand. With workers the measured step is scaled by the ratio of the predictions, so that costs outside the model remain.
 */
export function stepWithFasterMaking(
  { settings, parts, making, machine, workers }: AdviceContext,
  saved: number,
  asleep = 0,
): number {
  const { step, fed } = parts;
  if (making === null) return step;
  if (workers === 0) {
    if (settings.sink !== 0) return Math.max(fed, step - saved);
    return parts.reader === 0 ? step : step - Math.min(1, saved / parts.reader) * (step - fed);
  }
  const left = Math.max(0, making.asleep - asleep);
  const faster = { total: Math.max(left, making.total - saved), asleep: left };
  return step * stepWithWorkers(fed, faster, workers, machine) / stepWithWorkers(fed, making, workers, machine);
}
