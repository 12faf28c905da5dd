import { InterruptedError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import type { Emit } from "../result/run_event.ts";
import type { Result } from "../result/schema.ts";
import type { RunRecorder } from "../store/run_recorder.ts";
import { AbortedError } from "./aborted_error.ts";
import { measureKept } from "./measure_kept.ts";
import type { Watch } from "./measurement.ts";
import type { KeptWork } from "./retention.ts";
import { outsideTurn } from "./turn.ts";

/** Connection of a measurement to its caller and to the store. */
export interface WatchedWork {
  readonly emit: Emit;
  readonly interrupted: () => boolean;
  readonly runRecorder: RunRecorder | null;
}

/**
 * Measures in turn, and keeps the run in the store if there is one. No script repeats it: another call may have other
 * arguments.
 *
 * @param work measures until `interrupted` returns true, and then returns the result so far
 * @throws {AbortedError} if the signal aborts
 */
export async function measureWatched(
  spec: KeptWork["spec"],
  store: string | boolean,
  { signal, emit: report }: Watch,
  work: (watched: WatchedWork) => Promise<Result>,
): Promise<Result> {
  const emit: Emit = (event) => outsideTurn(() => report(event));
  const warn = (message: string) => emit({ type: "warning", kind: null, message });
  const kept = { spec, script: null, modules: () => Promise.resolve([]), args: [], warn };
  const interrupted = () => signal.aborted;
  const { result, settle } = await measureKept(kept, { store, required: true }, async ({ runRecorder }) => {
    try {
      return await work({ emit, interrupted, runRecorder });
    } catch (error) {
      if (!signal.aborted || !isInstance(error, InterruptedError)) throw error;
      throw new AbortedError(null, signal.reason);
    }
  }, signal);
  await settle();
  if (signal.aborted) throw new AbortedError(result, signal.reason);
  return result;
}
