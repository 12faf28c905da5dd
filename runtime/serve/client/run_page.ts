/// <reference lib="dom" />
import { dateText } from "../../library/kept/date_text.ts";
import { MISSING } from "../../report/format.ts";
import { el } from "../../report/html/client/dom.ts";
import { nameText } from "../../report/html/client/names.ts";
import { facts } from "../../report/html/client/section.ts";
import type { ListedRun } from "../../store/records.ts";
import type { RunPayload } from "../payloads.ts";
import { createFrame } from "./frame.ts";
import { follow } from "./requests.ts";
import { statusText } from "./runs_table.ts";

/** Shows the state of a run without a report, and its report once there is one. */
export function runPage(id: string): void {
  const frame = createFrame(`Run ${id}`);
  follow<RunPayload>(() => `/api/runs/${encodeURIComponent(id)}`, {
    onProblem: (problem) => problem === null || frame.setProblem(problem),
    onPayload: ({ listed, hasReport }) => {
      if (hasReport) return location.reload();
      frame.setProblem(listed.problem === null ? null : `Run ${id}: ${listed.problem}`);
      frame.setStatus(statusOf(listed));
      frame.setContent(runFacts(listed));
    },
  });
}

function statusOf(listed: ListedRun): string {
  const status = statusText(listed);
  switch (listed.run?.status) {
    case "running":
      return `${status}; the report appears here when it ends`;
    case "interrupted":
    case "failed":
      return `${status}; "tacho resume ${listed.id}" continues it`;
    default:
      return status;
  }
}

function runFacts({ run }: ListedRun): HTMLElement {
  if (run === null) return el("p", { class: "missing" }, `${MISSING} nothing else of the run can be read`);
  const command = [run.script ?? "", ...run.args].join(" ").trim();
  return facts([
    ["scenario", nameText(run.scenario)],
    ["started", dateText(run.started)],
    ["command", command === "" ? MISSING : nameText(command, 400)],
    ["folder", nameText(run.cwd, 200)],
    ["variants", String(run.variants)],
    ["adapter", run.adapter === null ? MISSING : nameText(run.adapter)],
    ["git", run.git ?? MISSING],
    ["message", run.message === null ? MISSING : nameText(run.message, 1000)],
  ], "long");
}
