import type { Executor, ExecutorDispatch, ExecutorOp } from "../engine/executor.ts";

/** Work of a profiled step that is timed: a pass for each dispatch. */
export interface TimedWork {
  readonly ops: readonly ExecutorOp[];
  /** Dispatches with the indices of their ops. */
  readonly dispatches: readonly ExecutorDispatch[];
}

/**
 * Returns the work of a step and, after it, weight decay alone, which is an op of the update.
 *
 * @param decay null without weight decay
 */
export function timedWork(step: Executor, decay: Executor | null): TimedWork {
  if (decay === null) return step;
  const more = decay.dispatches.map((dispatch) => ({ ...dispatch, op: dispatch.op + step.ops.length }));
  return { ops: [...step.ops, ...decay.ops], dispatches: [...step.dispatches, ...more] };
}
