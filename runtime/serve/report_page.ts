import { namedReasonOf } from "../core/shown.ts";
import { keptProgram } from "../library/kept/kept_program.ts";
import { commandText } from "../library/kept/attached_table.ts";
import { runCommand } from "../library/script.ts";
import { renderAttachedHtml } from "../report/attach/html.ts";
import { renderHtml, reportPolicy } from "../report/html/report.ts";
import { staticPolicy } from "../report/static_page.ts";
import { StoreError } from "../store/problems.ts";
import { isRunId } from "../store/run_name.ts";
import { type Context, findListed, needStore, RequestError } from "./context.ts";
import { htmlResponse } from "./responses.ts";
import { shellResponse } from "./shell.ts";

/** Responds with the page that `tacho report` writes for a run, or with the run's state if it has no readable result. */
export function reportPage(context: Context, id: string): Response {
  const store = needStore(context);
  const listed = findListed(store, id);
  const { run } = listed;
  if (run === null) return shellResponse();
  try {
    const result = context.checks.read(store, listed);
    if (result === null) return shellResponse();
    return htmlResponse(200, renderHtml(result, { command: runCommand(run) }), reportPolicy());
  } catch (error) {
    if (context.checks.problemOf(listed) !== null) return shellResponse();
    throw shownError(id, error);
  }
}

/** Responds with the page that `tacho attach --report` writes for an attached program. */
export function programPage(context: Context, id: string): Response {
  const store = needStore(context);
  if (!isRunId(id) || store.listing.programs().programs.every((run) => run.id !== id)) {
    throw new RequestError(404, `Unknown attached program "${id}"; the list of runs has all IDs`);
  }
  const { run, result } = keptProgram(store, id);
  try {
    return htmlResponse(200, renderAttachedHtml(result, commandText(run.command)), staticPolicy());
  } catch (error) {
    throw shownError(id, error);
  }
}

/** Returns the error for a result with values that no program of ours writes, such as a time that no calendar has. */
function shownError(id: string, error: unknown): unknown {
  if (error instanceof StoreError || error instanceof RequestError) return error;
  return new StoreError(`Run ${id} has a result that cannot be shown (${namedReasonOf(error)})`, { cause: error });
}
