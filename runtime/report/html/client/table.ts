/// <reference lib="dom" />
import { MISSING } from "../../format.ts";
import { copyButton, toTsv } from "./clipboard.ts";
import { button, type Child, el } from "./dom.ts";
import type { Family } from "./route.ts";

/** A column of a table. Null stands for what was not measured. */
export interface TableColumn<Row> {
  readonly title: string;
  /** Stands in brackets behind the title. */
  readonly unit?: string;
  /** What is sorted by and copied. */
  readonly value: (row: Row) => string | number | null;
  /** What is shown in place of the value. */
  readonly show?: (row: Row) => Child;
  /** Numbers stand right. */
  readonly align?: "left" | "right";
  /** Long words may be broken on paper, which does not scroll. */
  readonly breakable?: boolean;
  /** Explains the column to a mouse that rests on it. */
  readonly help?: string;
  /** Stands below the title, such as an axis. */
  readonly under?: () => Node;
}

export interface TableOptions<Row> {
  /** What the table holds, for those who cannot see where it stands. */
  readonly caption: string;
  /** The first names its row. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Rows shown at first; a button shows the others. */
  readonly limit?: number;
  /** Name of a row, for {@linkcode Table.rows}. */
  readonly key?: (row: Row) => string;
  /** Class of a row. */
  readonly rowClass?: (row: Row) => string | null;
}

export interface Table {
  readonly element: HTMLElement;
  /** Its rows by their keys. */
  readonly rows: Family;
}

const LIMIT = 100;

/** A table that is sorted by its headings and copied as text with tabs. It scrolls within itself. */
export function createTable<Row>(options: TableOptions<Row>): Table {
  const { caption, columns, rows, limit = LIMIT, key, rowClass } = options;
  let sorted = [...rows];
  let all = rows.length <= limit * 1.2;
  const elements = new Map<Row, HTMLTableRowElement>();
  const body = el("tbody");
  const more = button("", { class: "tool more" }, () => {
    all = true;
    fillBody();
  });
  const fillBody = () => {
    body.replaceChildren(...(all ? sorted : sorted.slice(0, limit)).map((row) => {
      let element = elements.get(row);
      if (element === undefined) elements.set(row, element = rowElement(columns, row, rowClass?.(row) ?? null));
      return element;
    }));
    more.hidden = all;
    more.textContent = `Show all ${rows.length}`;
  };
  const headings = columns.map((column, i) => {
    return heading(column, (direction) => {
      sorted = direction === null ? [...rows] : sortRows(rows, column.value, direction);
      for (const [j, other] of headings.entries()) if (j !== i) other.setAttribute("aria-sort", "none");
      fillBody();
    });
  });
  fillBody();
  const copied = () => [
    columns.map(({ title, unit }) => unit === undefined ? title : `${title} (${unit})`),
    ...sorted.map((row) => columns.map(({ value }) => value(row))),
  ];
  const frame = el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...headings)), body),
  );
  const element = el(
    "div",
    { class: "table" },
    frame,
    el("div", { class: "tools" }, more, copyButton(`${caption} as tab-separated text`, () => toTsv(copied()))),
  );
  const byKey = new Map(key === undefined ? [] : rows.map((row) => [key(row), row]));
  const find = (name: string) => {
    const row = byKey.get(name);
    if (row === undefined) return null;
    if (!all && sorted.indexOf(row) >= limit) {
      all = true;
      fillBody();
    }
    return elements.get(row) ?? null;
  };
  return { element, rows: { has: (name) => byKey.has(name), find } };
}

function heading<Row>(
  { title, unit, help, align, under }: TableColumn<Row>,
  onSort: (direction: "ascending" | "descending" | null) => void,
): HTMLElement {
  const cell = el("th", { scope: "col", "aria-sort": "none", class: align ?? "right", title: help ?? null });
  const text = el("span", {}, title, unit === undefined ? null : el("span", { class: "unit" }, unit));
  const sort = button("", { class: "sort" }, () => {
    const before = cell.getAttribute("aria-sort");
    // Names first go up, numbers first go down; the third time brings the first order back
    const turns = align === "left" ? ["none", "ascending", "descending"] : ["none", "descending", "ascending"];
    const next = turns[(turns.indexOf(before ?? "none") + 1) % 3]!;
    cell.setAttribute("aria-sort", next);
    onSort(next === "ascending" || next === "descending" ? next : null);
  });
  sort.append(text, el("span", { class: "arrow", "aria-hidden": "true" }));
  cell.append(sort, ...(under === undefined ? [] : [under()]));
  return cell;
}

function rowElement<Row>(columns: readonly TableColumn<Row>[], row: Row, name: string | null): HTMLTableRowElement {
  const cells = columns.map((column, i) => {
    const value = column.value(row);
    const shown = column.show?.(row) ?? (value === null ? MISSING : String(value));
    const classes = [column.align ?? "right", value === null ? "missing" : "", column.breakable ? "breakable" : ""];
    const attributes = { class: classes.filter((one) => one !== "").join(" ") };
    return i === 0 ? el("th", { scope: "row", ...attributes }, shown) : el("td", attributes, shown);
  });
  return el("tr", { class: name, tabindex: -1 }, ...cells);
}

/** Rows by a value; those without one come last, whatever the direction. */
function sortRows<Row>(
  rows: readonly Row[],
  value: (row: Row) => string | number | null,
  direction: "ascending" | "descending",
): Row[] {
  const sign = direction === "ascending" ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [first, second] = [value(a), value(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (typeof first === "number" && typeof second === "number") return sign * (first - second);
    return sign * String(first).localeCompare(String(second), "en", { numeric: true });
  });
}
