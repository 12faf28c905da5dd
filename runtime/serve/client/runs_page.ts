/// <reference lib="dom" />
import { attachedTable } from "../../library/kept/attached_table.ts";
import { button, type Child, el } from "../../report/html/client/dom.ts";
import { nameText } from "../../report/html/client/names.ts";
import { createTable } from "../../report/html/client/table.ts";
import type { ListedRun } from "../../store/records.ts";
import { MAX_COMPARED, type RunsPayload } from "../payloads.ts";
import { compareAddress, historyAddress, programAddress, runAddress } from "./addresses.ts";
import { keepFocus } from "./focus.ts";
import { createFrame, part } from "./frame.ts";
import { follow } from "./requests.ts";
import { listTable, problemOf, searchedText } from "./runs_table.ts";

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

/** Runs that the reader has selected to compare, until the page is left for good. */
class Selection {
  readonly element: HTMLElement;
  readonly #ids: Set<string>;
  readonly #count = el("span", { role: "status" });
  readonly #compare = el("a", { class: "tool" }, "Compare");
  readonly #clear: HTMLElement;

  /** @param onClear called after the reader has cleared the selection */
  constructor(onClear: () => void) {
    const { selected } = (history.state ?? {}) as { readonly selected?: readonly string[] };
    this.#ids = new Set(selected ?? []);
    this.#clear = button("Clear", { class: "tool", "aria-label": "Clear the selection" }, () => {
      this.#ids.clear();
      this.#changed();
      onClear();
    });
    this.element = el("div", { class: "selection" }, this.#count, this.#compare, this.#clear);
    this.#changed();
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Returns the checkbox of a run. */
  checkbox({ id, run, hasResult, problem }: ListedRun): HTMLElement {
    const isComparable = run !== null && hasResult && problem === null;
    const box = el("input", {
      type: "checkbox",
      "aria-label": `Select run ${id}`,
      "data-focus": `select ${id}`,
      title: isComparable ? null : "no result to compare",
      disabled: !isComparable,
    });
    box.checked = this.has(id);
    box.addEventListener("change", () => {
      if (box.checked) this.#ids.add(id);
      else this.#ids.delete(id);
      this.#changed();
    });
    return box;
  }

  #changed(): void {
    const ids = [...this.#ids].sort(); // IDs sort by time
    const count = ids.length === 1 ? "1 run" : `${ids.length} runs`;
    const isPossible = ids.length >= 2 && ids.length <= MAX_COMPARED;
    this.#count.textContent = ids.length === 0
      ? "Select runs to compare them"
      : ids.length === 1
      ? "1 run selected; select another to compare"
      : `${count} selected${isPossible ? "" : `; at most ${MAX_COMPARED} can be compared`}`;
    this.#compare.hidden = !isPossible;
    this.#compare.href = compareAddress(ids);
    this.#clear.hidden = ids.length === 0;
    history.replaceState({ ...history.state as object | null, selected: ids }, "");
  }
}
