/// <reference lib="dom" />
import { button } from "./dom.ts";

/** Returns a button that copies a text; screen readers announce it as `Copy ${what}`. */
export function copyButton(what: string, text: () => string): HTMLElement {
  const made = button("Copy", { class: "tool", "aria-label": `Copy ${what}` }, async () => {
    const copied = await copyText(text());
    made.textContent = copied ? "Copied" : "Copy failed";
    setTimeout(() => made.textContent = "Copy", 1500);
  });
  return made;
}

/** Renders rows as tab-separated text. Missing values are empty cells; tabs and line breaks within a cell are spaces. */
export function toTsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => row.map(tsvCell).join("\t")).join("\n") + "\n";
}

function tsvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = value.replaceAll(/[\t\r\n\v\f\u2028\u2029]+/g, " ");
  // Spreadsheets read such text as a formula
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

/** Copies on pages without access to the clipboard API, such as `file:` pages in some browsers. */
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
