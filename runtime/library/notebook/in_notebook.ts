import type { Emit } from "../../result/run_event.ts";
import type { Result } from "../../result/schema.ts";
import { displayed, runningKernel } from "./kernel.ts";

/** Returns a result that displays itself, if this is a notebook. */
export function shownInNotebook(result: Result): Result {
  return runningKernel() === null ? result : displayed(result);
}

/**
 * Runs a measurement. In a notebook, shows its progress below the cell, and returns a result that displays itself.
 *
 * @param measure measures, and reports events
 * @param emit receives the events
 */
export async function inNotebook(emit: Emit, measure: (emit: Emit) => Promise<Result>): Promise<Result> {
  const kernel = runningKernel();
  if (kernel === null) return await measure(emit);
  const { NotebookProgress } = await import("./progress.ts");
  const progress = new NotebookProgress(kernel);
  try {
    const result = await measure((event) => {
      progress.update(event);
      emit(event);
    });
    return shownInNotebook(result);
  } finally {
    await progress.done();
  }
}
