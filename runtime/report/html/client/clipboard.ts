/// <reference lib="dom" />
import { button } from "./dom.ts";

/** A button that copies a text; `what` names it, for those who cannot see where the button stands. */
export function copyButton(what: string, text: () => string): HTMLElement {
  const made = button("Copy", { class: "tool", "aria-label": `Copy ${what}` }, async () => {
    const copied = await copyText(text());
    made.textContent = copied ? "Copied" : "Not copied";
    setTimeout(() => made.textContent = "Copy", 1500);
  });
  return made;
}

/** Rows as text with tabs, which spreadsheets take as cells. What was not measured is an empty cell; tabs and ends of lines inside of a cell become spaces. */
export function toTsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => row.map(tsvCell).join("\t")).join("\n") + "\n";
}

function tsvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = value.replaceAll(/[\t\r\n\v\f\u2028\u2029]+/g, " ");
  // A spreadsheet would take such text for a formula
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** For pages that may not use the clipboard's own interface, as those of a `file:` in some browsers. */
function copySelected(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
