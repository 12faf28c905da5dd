/// <reference lib="dom" />
import { attachedTable } from "../../library/kept/attached_table.ts";
import { button, type Child, el } from "../../report/html/client/dom.ts";
import { nameText } from "../../report/html/client/names.ts";
import { createTable } from "../../report/html/client/table.ts";
import type { ListedRun } from "../../store/records.ts";
import type { RunsPayload } from "../payloads.ts";
import { historyAddress, programAddress, runAddress } from "./addresses.ts";
import { keepFocus } from "./focus.ts";
import { createFrame, part } from "./frame.ts";
import { follow } from "./requests.ts";
import { listTable, problemOf, searchedText } from "./runs_table.ts";
import { Selection } from "./selection.ts";

/** Shows the list of runs, and follows its changes. */
export function runsPage(): void {
  const frame = createFrame("Kept runs");
  const list = runsList();
  const programs = el("div");
  let [version, all, shownPrograms] = ["", false, ""];
  let problem: string | null = null;
  const more = button("", { class: "tool", "data-focus": "more" }, () => {
    [version, all] = ["", true];
    refresh();
  });
  more.hidden = true;
  frame.setContent(list.element, more, programs);
  const refresh = follow<RunsPayload>(
    () => `/api/runs?version=${encodeURIComponent(version)}${all ? "&limit=999999999" : ""}`,
    {
      onProblem: (text) => frame.setProblem(text ?? problem),
      onPayload: (payload) => {
        version = payload.version;
        problem = payload.problem;
        frame.setProblem(problem);
        frame.setStatus(statusOf(payload));
        list.show(payload.runs);
        more.hidden = payload.total <= payload.runs.length;
        more.textContent = `Load all ${payload.total} runs`;
        const text = JSON.stringify(payload.programs);
        if (text !== shownPrograms) keepFocus(() => programs.replaceChildren(programsPart(payload)));
        shownPrograms = text;
      },
    },
  );
}

function runsList(): { readonly element: HTMLElement; readonly show: (runs: readonly ListedRun[]) => void } {
  const known = new Map<string, { readonly text: string; readonly listed: ListedRun }>();
  const table = createTable(listTable([]), {
    omit: ["unit"],
    cells: {
      id: (listed) => el("span", { class: "pick" }, selection.checkbox(listed), runLink(listed.id)),
      status: (listed, text) => {
        const problem = problemOf(listed);
        const tone = listed.problem === null ? null : "bad";
        return problem === null
          ? text
          : el("span", {}, text, el("span", { class: "reason", "data-tone": tone }, nameText(problem, 400)));
      },
      scenario: ({ run }, text) => el("a", { href: historyAddress({ scenario: run!.scenario }) }, text),
    },
    search: {
      label: "Search runs",
      text: searchedText,
      found: (found) => `${found.length} found`,
      initial: new URLSearchParams(location.search).get("q") ?? "",
      onWords: (words) =>
        history.replaceState(history.state, "", words === "" ? "/" : `/?q=${encodeURIComponent(words)}`),
    },
  });
  const selection = new Selection(() => {
    for (const box of table.element.querySelectorAll<HTMLInputElement>("input[type=checkbox]")) box.checked = false;
  });
  table.element.classList.add("runs");
  table.element.querySelector(".search")!.after(selection.element);
  const show = (runs: readonly ListedRun[]) => {
    // Unchanged runs keep their rows
    const rows = runs.map((listed) => {
      const text = JSON.stringify(listed);
      const before = known.get(listed.id);
      if (before?.text === text) return before.listed;
      known.set(listed.id, { text, listed });
      return listed;
    });
    keepFocus(() => table.setRows(rows));
  };
  return { element: table.element, show };
}

function runLink(id: string): HTMLElement {
  return el("a", { href: runAddress(id), "data-focus": `open ${id}` }, id);
}

function programsPart({ programs }: RunsPayload): Child & Node {
  if (programs.length === 0) return document.createTextNode("");
  const spec = attachedTable(programs);
  const table = createTable(spec, {
    cells: { id: ({ id }) => el("a", { href: programAddress(id), "data-focus": `open ${id}` }, id) },
  });
  return part("Attached programs", table.element);
}

function statusOf({ folder, total, runs }: RunsPayload): string {
  if (total === 0) return `No runs are kept in ${folder} yet`;
  const running = runs.filter(({ run }) => run?.status === "running").length;
  const count = total === 1 ? "1 run" : `${total} runs`;
  return `${count} in ${folder}${running === 0 ? "" : ` · ${running} running`}`;
}
