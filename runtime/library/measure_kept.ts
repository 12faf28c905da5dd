import { InterruptedError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import type { Interrupts } from "../experiment/interrupts/interrupts.ts";
import type { ExperimentOptions } from "../experiment/options.ts";
import type { Timeline } from "../record/timeline.ts";
import type { Emit } from "../result/run_event.ts";
import type { Result } from "../result/schema.ts";
import { AbortedError } from "./aborted_error.ts";
import { type Keeping, type KeptWork, Retention } from "./retention.ts";
import { inTurn } from "./turn.ts";

/** The program or command line that a measurement is for. */
export interface Caller {
  readonly emit: Emit;
  /** Collects the timelines, for a report. */
  readonly timelines: boolean;
  /** Ends the measurement, or the wait for earlier ones. */
  readonly signal?: AbortSignal;
  /** Listens for other interrupts until closed. `kept` says what is kept if the process ends meanwhile. */
  readonly listen?: (kept: string) => Promise<Pick<Interrupts, "interrupted" | "close">>;
}

/** Connection of a measurement to its caller and to the store. */
export type Connection = Required<Pick<ExperimentOptions, "onEvent" | "interrupted" | "runRecorder">>;

/** Result of a run that may be in the store. */
export interface Kept {
  readonly result: Result;
  /** Line that says how the run is kept; null if it is not. */
  readonly line: string | null;
  /** Timelines, if the caller wants them. */
  readonly timelines: readonly Timeline[];
  /** Waits for pending writes and closes the store. */
  settle(): Promise<void>;
}

/**
 * Measures a run and keeps it, after all earlier measurements of this process have ended. A shard that was complete before
 * is not measured again.
 *
 * @param measure measures until `interrupted` returns true, and then returns the result so far
 * @throws {AbortedError} if the caller's signal aborts before there is a result
 */
export function measureKept(
  work: KeptWork,
  keeping: Keeping,
  caller: Caller,
  measure: (connection: Connection) => Promise<Result>,
): Promise<Kept> {
  const { emit, signal } = caller;
  const timelines: Timeline[] = [];
  const warn = (message: string) => emit({ type: "warning", kind: null, message });
  return inTurn(async () => {
    const retention = await Retention.begin(work, keeping, warn);
    const onEvent: Emit = (event) => {
      retention.keepEvent(event);
      if (caller.timelines && event.type === "timeline") timelines.push(event.timeline);
      emit(event);
    };
    const measured = async () => {
      const listening = await caller.listen?.(retention.keptIfEnded);
      const interrupted = listening?.interrupted ?? (() => signal?.aborted === true);
      try {
        return await measure({ onEvent, interrupted, runRecorder: retention.runRecorder });
      } catch (error) {
        throw signal?.aborted && isInstance(error, InterruptedError) ? new AbortedError(null, signal.reason) : error;
      } finally {
        listening?.close();
      }
    };
    try {
      const result = retention.done ?? await measured();
      return { result, line: retention.finish(result), timelines, settle: () => retention.settle() };
    } catch (error) {
      retention.fail(error);
      await retention.settle();
      throw error;
    }
  }, signal);
}
