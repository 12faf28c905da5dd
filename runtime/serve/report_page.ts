import { keptProgram } from "../library/kept/kept_program.ts";
import { commandText } from "../library/kept/attached_table.ts";
import { runCommand } from "../library/kept/run_command.ts";
import { renderAttachedHtml } from "../report/attach/html.ts";
import { renderHtml, reportPolicy } from "../report/html/report.ts";
import { staticPolicy } from "../report/static_page.ts";
import { isRunId } from "../store/run_id.ts";
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
    throw error;
  }
}

/** Responds with the page that `tacho attach --report` writes for an attached program. */
export function programPage(context: Context, id: string): Response {
  const store = needStore(context);
  if (!isRunId(id) || store.listing.programs().programs.every((run) => run.id !== id)) {
    throw new RequestError(404, `Unknown attached program "${id}"; the list of runs has all IDs`);
  }
  const { run, result } = keptProgram(store, id);
  return htmlResponse(200, renderAttachedHtml(result, commandText(run.command)), staticPolicy());
}
