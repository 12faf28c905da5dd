import type { AdviceContext } from "./context.ts";
import { stepWithWorkers } from "./step_parts.ts";

/**
 * The step where making a batch takes `saved` ms less on its thread and all else stays.
 *
 * Without workers the loop makes the batch, so that the step is shorter by it. With workers it is shorter as far as it
 * waits for them: what it takes is held against what the same reckoning gives for today, so that what the reckoning does
 * not know of stays.
 */
export function stepWithFasterMaking(
  { settings, parts, making, machine, workers }: AdviceContext,
  saved: number,
): number {
  const { step, fed } = parts;
  if (making === null) return step;
  if (workers === 0) {
    return settings.sink === 0 ? step - Math.min(saved, parts.reader) : Math.max(fed, step - saved);
  }
  const time = (total: number) => stepWithWorkers(fed, { ...making, total }, workers, machine);
  return step * time(Math.max(making.asleep, making.total - saved)) / time(making.total);
}
