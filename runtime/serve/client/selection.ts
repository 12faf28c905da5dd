/// <reference lib="dom" />
import { button, el } from "../../report/html/client/dom.ts";
import { MAX_COMPARED } from "../payloads.ts";
import type { ListedRun } from "../../store/records.ts";
import { compareAddress } from "./addresses.ts";

/** Runs that the reader has selected to compare, until the page is left for good. */
export class Selection {
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
