/// <reference lib="dom" />
import { cellOf, type Column, columnsFor, headingWithUnit, type TableSpec, titleOf } from "../../spec.ts";
import { formatCount } from "../../format.ts";
import { copyButton, toTsv } from "./clipboard.ts";
import { button, type Child, el } from "./dom.ts";
import { nameText } from "./names.ts";
import type { Family } from "./route.ts";
import { createSearchBox, type Search } from "./search_box.ts";

/** Additions of the page to a table. Cells and headings are keyed by the names of their columns. */
export interface TableHooks<Row> {
  /** Draws a cell with a value, given its text. */
  readonly cells?: Readonly<Record<string, (row: Row, text: string) => Child>>;
  /** Returns a node below a column's title, such as an axis. */
  readonly headings?: Readonly<Record<string, () => Node>>;
  /** Columns to leave out. */
  readonly omit?: readonly string[];
  /** Number of rows on a page. */
  readonly limit?: number;
  /** Returns the name of a row, for {@linkcode Table.rows}. */
  readonly key?: (row: Row) => string;
  /** Returns the class of a row. */
  readonly rowClass?: (row: Row) => string | null;
  /** Adds a search box above the table. */
  readonly search?: Search<Row>;
}

export interface Table<Row> {
  readonly element: HTMLElement;
  /** Rows by key. */
  readonly rows: Family;
  /** Shows other rows, in the chosen order and under the searched words. Rows that stay keep their elements. */
  readonly setRows: (rows: readonly Row[]) => void;
}

const LIMIT = 100;

/** Largest number of rows that are shown together. */
const MAX_TOGETHER = 1000;

/** Compares texts with numbers in them by the numbers. */
const collator = new Intl.Collator("en", { numeric: true });

/** Longest text that stays on one line, such as a verdict. */
const SHORT_TEXT = 12;

/** Longest text of a cell in one line. */
const LONGEST_LINE = 120;

/** Longest text of a cell in several lines. */
const LONGEST_TEXT = 4000;

/** Deepest indentation of rows. */
const MAX_DEPTH = 8;

/** Returns a scrolling table that its headings sort and a button copies as tab-separated text. */
export function createTable<Row>(spec: TableSpec<Row>, hooks: TableHooks<Row> = {}): Table<Row> {
  const { title: caption } = spec;
  let { rows } = spec;
  const { limit = LIMIT, key, omit = [], search } = hooks;
  const columns = columnsFor(spec, "data").filter(({ name }) => !omit.includes(name));
  let sorted = [...rows];
  let found: readonly Row[] = sorted;
  let [from, size] = [0, limit];
  const elements = new Map<Row, HTMLTableRowElement>();
  const body = el("tbody");
  const more = button("", { class: "tool more" }, () => {
    size = Infinity;
    showFrom(0);
  });
  const place = el("span", { class: "about", role: "status" });
  const turn = (label: string, name: string, by: 1 | -1) =>
    button(label, { class: "tool", "aria-label": name, title: name }, () => {
      const next = from + by * size;
      if (next >= 0 && next < found.length) showFrom(next);
    });
  const pages = el("span", { class: "turn" }, turn("‹", "Previous rows", -1), place, turn("›", "Next rows", 1));
  const box = search === undefined ? null : createSearchBox(search, () => showFrom(0));
  const isWhole = () => found.length <= size * 1.2;
  const showFrom = (first: number) => {
    from = first;
    fillBody();
  };
  const fillBody = () => {
    found = box?.filter(sorted) ?? sorted;
    if (isWhole() || from >= found.length) from = 0;
    const shown = isWhole() ? found : found.slice(from, from + size);
    body.replaceChildren(...shown.map((row) => {
      let element = elements.get(row);
      if (element === undefined) elements.set(row, element = rowElement(columns, row, hooks));
      return element;
    }));
    pages.hidden = isWhole();
    place.textContent = `${formatCount(from + 1)} to ${formatCount(from + shown.length)} of ${
      formatCount(found.length)
    }`;
    more.hidden = isWhole() || found.length > MAX_TOGETHER;
    more.textContent = `Show all ${found.length} rows`;
  };
  let sort = () => [...rows];
  const headings = columns.map((column, i) => {
    return heading(column, hooks.headings?.[column.name], (direction) => {
      sort = () => direction === null ? [...rows] : sortRows(rows, column, direction);
      sorted = sort();
      for (const [j, other] of headings.entries()) if (j !== i) other.setAttribute("aria-sort", "none");
      showFrom(0);
    });
  });
  fillBody();
  const copied = () => [
    columns.map(headingWithUnit),
    ...found.map((row) => columns.map((column) => column.value(row))),
  ];
  const frame = el(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...headings)), body),
  );
  const element: HTMLElement = el(
    "div",
    { class: "table brief" },
    box?.element ?? null,
    frame,
    el(
      "div",
      { class: "tools" },
      columns.some(({ minor }) => minor) ? allColumns(() => element) : null,
      pages,
      more,
      copyButton(`${caption} as tab-separated text`, () => toTsv(copied())),
    ),
  );
  const keysOf = () => new Map(key === undefined ? [] : rows.map((row) => [key(row), row]));
  let byKey = keysOf();
  const find = (name: string) => {
    const row = byKey.get(name);
    if (row === undefined) return null;
    if (!found.includes(row)) {
      box?.clear();
      fillBody();
    }
    if (!isWhole()) showFrom(Math.floor(found.indexOf(row) / size) * size);
    return elements.get(row) ?? null;
  };
  const setRows = (next: readonly Row[]) => {
    rows = next;
    sorted = sort();
    byKey = keysOf();
    const kept = new Set(rows);
    for (const row of elements.keys()) if (!kept.has(row)) elements.delete(row);
    fillBody();
  };
  return { element, rows: { has: (name) => byKey.has(name), find }, setRows };
}

/** Returns the button that shows the minor columns of a table, and hides them again. */
function allColumns(table: () => HTMLElement): HTMLElement {
  const toggle = button("All columns", { class: "tool" }, () => {
    const brief = table().classList.toggle("brief");
    toggle.textContent = brief ? "All columns" : "Fewer columns";
  });
  return toggle;
}

function heading<Row>(
  column: Column<Row>,
  under: (() => Node) | undefined,
  onSort: (direction: "ascending" | "descending" | null) => void,
): HTMLElement {
  const { unit, help, align, minor } = column;
  const classes = minor ? `${align} minor` : align;
  const cell = el("th", { scope: "col", "aria-sort": "none", class: classes, title: help ?? null });
  const text = el(
    "span",
    {},
    nameText(titleOf(column)),
    unit === undefined ? null : el("span", { class: "unit" }, unit),
  );
  const sort = button("", { class: "sort" }, () => {
    const before = cell.getAttribute("aria-sort");
    // Names sort ascending first, numbers descending; the third click restores the original order
    const turns = align === "left" ? ["none", "ascending", "descending"] : ["none", "descending", "ascending"];
    const next = turns[(turns.indexOf(before ?? "none") + 1) % 3]!;
    cell.setAttribute("aria-sort", next);
    onSort(next === "ascending" || next === "descending" ? next : null);
  });
  sort.append(text, el("span", { class: "arrow", "aria-hidden": "true" }));
  cell.append(sort, ...(under === undefined ? [] : [under()]));
  return cell;
}

function rowElement<Row>(columns: readonly Column<Row>[], row: Row, hooks: TableHooks<Row>): HTMLTableRowElement {
  const cells = columns.map((column, i) => {
    const { align } = column;
    const isMissing = column.value(row) === null;
    const classes = [
      align,
      isMissing ? "missing" : "",
      align === "left" && i > 0 && cellOf(column, row).text.length > SHORT_TEXT ? "breakable" : "",
      column.minor ? "minor" : "",
    ];
    const tone = isMissing ? null : column.tone?.(row) ?? null;
    const attributes = { class: classes.filter((one) => one !== "").join(" "), "data-tone": tone };
    const shown = cellElement(column, row, hooks.cells?.[column.name]);
    return i === 0 ? el("th", { scope: "row", ...attributes }, shown) : el("td", attributes, shown);
  });
  return el("tr", { class: hooks.rowClass?.(row) ?? null, tabindex: -1 }, ...cells);
}

function cellElement<Row>(column: Column<Row>, row: Row, draw: ((row: Row, text: string) => Child) | undefined): Child {
  const { text, mark = "" } = cellOf(column, row);
  const shown = text === "" ? "" : nameText(text, LONGEST_LINE) + mark;
  const depth = column.depth?.(row) ?? 0;
  const drawn = draw !== undefined && column.value(row) !== null && shown !== ""
    ? draw(row, shown)
    : text.length <= LONGEST_LINE
    ? shown
    : el("span", { class: "prose" }, nameText(text, LONGEST_TEXT) + mark);
  if (depth === 0) return drawn;
  const indented = el("span", {}, drawn);
  indented.style.paddingLeft = `${Math.min(depth, MAX_DEPTH)}em`;
  return indented;
}

/** Sorts rows by a column; rows without a value are always last. */
function sortRows<Row>(rows: readonly Row[], column: Column<Row>, direction: "ascending" | "descending"): Row[] {
  const sign = direction === "ascending" ? 1 : -1;
  const valueOf = (row: Row) => column.sort === undefined ? column.value(row) : column.sort(row);
  return rows.toSorted((a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (typeof first === "number" && typeof second === "number") return sign * (first - second);
    return sign * collator.compare(String(first), String(second));
  });
}
