import { ExitStatus } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { onInterrupt } from "../experiment/interrupts/signals.ts";
import { AbortedError } from "../library/aborted_error.ts";
import type { Watch } from "../library/measurement.ts";
import type { Result } from "../result/schema.ts";
import { stderrProgress } from "./stderr_progress.ts";
import { warn } from "./terminal.ts";

/** A result, or what an interrupted measurement had measured. */
export interface Watched {
  readonly result: Result | null;
  readonly interrupted: boolean;
}

/** Calls `work` with a signal that aborts at Ctrl-C or SIGTERM. A second one ends the process at once. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  using _listening = onInterrupt(() => {
    if (abort.signal.aborted) Deno.exit(ExitStatus.interrupted);
    abort.abort(new Error("Interrupted"));
  });
  return await work(abort.signal);
}

/**
 * Measures with progress on stderr, and then prints the warnings.
 *
 * @param title first line of the progress
 * @param dataOnStdout true if stdout takes data
 */
export async function watched(
  title: string,
  { signal, dataOnStdout }: { readonly signal: AbortSignal; readonly dataOnStdout: boolean },
  measure: (watch: Watch) => Promise<Result>,
): Promise<Watched> {
  const progress = stderrProgress({ quiet: false, dataOnStdout, interrupted: () => signal.aborted });
  progress.begin(title);
  const warnings: string[] = [];
  try {
    const result = await measure({
      signal,
      emit: (event) => {
        progress.update(event);
        if (event.type === "warning" && event.kind === null) warnings.push(event.message);
      },
    });
    return { result, interrupted: false };
  } catch (error) {
    if (!isInstance(error, AbortedError)) throw error;
    return { result: error.partial, interrupted: true };
  } finally {
    progress.done();
    for (const warning of warnings) warn(warning);
  }
}
