import type { Result } from "../result/schema.ts";
import { type Keeping, type KeptWork, Retention } from "./retention.ts";
import { inTurn } from "./turn.ts";

/** Result of a run that may be in the store. */
export interface Kept {
  readonly result: Result;
  /** Line that says how the run is kept; null if it is not. */
  readonly line: string | null;
  /** Waits for pending writes and closes the store. */
  settle(): Promise<void>;
}

/**
 * Measures a run and keeps it, after all earlier measurements of this process have ended.
 *
 * @param measure the measurement, which passes its rounds to `retention.runRecorder`
 * @throws {AbortedError} if `signal` aborts before its turn
 */
export function measureKept(
  work: KeptWork,
  keeping: Keeping,
  measure: (retention: Retention) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Kept> {
  return inTurn(async () => {
    const retention = await Retention.begin(work, keeping);
    try {
      const result = await measure(retention);
      return { result, line: retention.finish(result), settle: () => retention.settle() };
    } catch (error) {
      retention.fail(error);
      await retention.settle();
      throw error;
    }
  }, signal);
}
