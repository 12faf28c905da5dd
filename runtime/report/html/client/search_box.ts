/// <reference lib="dom" />
import { el } from "./dom.ts";

/** Search over the rows of a table. */
export interface Search<Row> {
  /** Accessible name of the box, such as `Search ops`. */
  readonly label: string;
  /** Returns the searched text of a row. */
  readonly text: (row: Row) => string;
  /** Describes the rows that were found. */
  readonly found: (rows: readonly Row[]) => string;
  /** Initial words. */
  readonly initial?: string;
  /** Called with the words whenever they change. */
  readonly onWords?: (words: string) => void;
}

export interface SearchBox<Row> {
  readonly element: HTMLElement;
  /** Returns the rows that contain every searched word, and shows their description. */
  readonly filter: (rows: readonly Row[]) => readonly Row[];
  /** Empties the box without calling `onChange`. */
  readonly clear: () => void;
}

/** Returns a box for words, which calls `onChange` whenever they change. */
export function createSearchBox<Row>(
  { label, text, found, initial = "", onWords }: Search<Row>,
  onChange: () => void,
): SearchBox<Row> {
  const input = el("input", { type: "search", placeholder: label, "aria-label": label, spellcheck: "false" });
  input.value = initial;
  input.addEventListener("input", () => {
    onWords?.(input.value);
    onChange();
  });
  const status = el("span", { class: "about", role: "status" });
  const filter = (rows: readonly Row[]) => {
    const words = wordsOf(input.value);
    const matching = words.length === 0 ? rows : rows.filter((row) => containsAll(text(row), words));
    status.textContent = words.length === 0 ? "" : found(matching);
    return matching;
  };
  const clear = () => {
    input.value = "";
  };
  return { element: el("div", { class: "search" }, input, status), filter, clear };
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

function containsAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
