/// <reference lib="dom" />
/** Every table says the same in a terminal, in Markdown, as CSV and in the HTML report. */
import assert from "node:assert/strict";
import { tableCsv } from "../../runtime/report/csv.ts";
import { matrixSection } from "../../runtime/report/html/client/comparison/matrix.ts";
import { effectsSection } from "../../runtime/report/html/client/comparison/effects.ts";
import { ladderSection } from "../../runtime/report/html/client/comparison/ladder.ts";
import type { VariantContext } from "../../runtime/report/html/client/context.ts";
import { Anchors } from "../../runtime/report/html/client/route.ts";
import { createTable } from "../../runtime/report/html/client/table.ts";
import { cpuSection, hostSection, rangesSection } from "../../runtime/report/html/client/variant/host.ts";
import { opsSection, typesSection } from "../../runtime/report/html/client/variant/ops.ts";
import { splitResult } from "../../runtime/report/html/split.ts";
import { markdownTable } from "../../runtime/report/markdown/table.ts";
import { markdownText } from "../../runtime/report/markdown/text.ts";
import { createPage, renderRows } from "../../runtime/report/page.ts";
import { cellOf, type Column, columnsFor, headingWithUnit } from "../../runtime/report/spec.ts";
import { type AnyTable, RESULT_TABLES, tablesOf, VARIANT_TABLES } from "../../runtime/report/tables.ts";
import type { Pipeline } from "../../runtime/result/pipeline.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { parseCsv } from "../support/csv.ts";
import { type StandIn, standIn, withDocument } from "./html/dom_stand_in.ts";
import { fullResult } from "./html/full_result.ts";
import { target } from "./judged_fixture.ts";
import { eventful } from "./result_fixture.ts";

const spread = { avg: 10, min: 9, max: 12 };

const pipeline: Pipeline = {
  numWorkers: 2,
  choice: null,
  sharedMemory: true,
  batches: 30,
  samples: 960,
  skipped: 0,
  skipReasons: [],
  stages: [
    { name: "read", kind: "read", perSample: 0.0031, perBatch: 0.0992, share: 0.2, threads: [] },
    { name: "hand-over", kind: "handOver", perSample: 0.31, perBatch: null, share: null, threads: [] },
  ],
  threads: [0, 1].map((worker) => ({ worker, batches: 15, make: spread, timed: 480, waiting: 0.1 })),
  queues: { host: { capacity: 5, depth: { avg: 0.4, min: 0, max: 2 }, empty: 0.7, full: 0 }, device: null },
  readerCost: spread,
  batchCost: spread,
  ips: { avg: 3200, min: 2286, max: 4000 },
  bound: { where: "making", stage: "read", readerShare: 0.6, boundsTraining: true },
};

/** A result that fills every table. */
function wholeResult(): Result {
  const result = fullResult();
  const [first, ...others] = result.variants;
  const candidates = [{ name: "tiled", time: 2, chosen: false }, { name: "direct", time: 1.5, chosen: true }];
  const tuned = { op: "conv2d", nodes: ["a", "b"], inputs: ["f32 4x8"], outputs: ["f32 4x8"], key: "k" };
  return {
    ...result,
    variants: [{
      ...first!,
      pipeline,
      target,
      autotune: {
        ops: [{ ...tuned, chosen: "direct", source: "timed", candidates }],
        hits: 0,
        spent: 1000,
        before: 4,
        after: 3,
        clock: "device",
        cache: "times.json",
        warnings: [],
      },
    }, ...others.map((variant) => ({ ...variant, config: { ...variant.config, sink: 10 } }))],
  };
}

const result = wholeResult();

/** Texts of cells, with their marks, as a medium has them. */
function textsOf(columns: readonly Column<unknown>[], row: unknown): string[] {
  return columns.map((column) => {
    const { text, mark = "" } = cellOf(column, row);
    return text + mark;
  });
}

/** The text without differences of spacing. */
function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

Deno.test("a whole result fills every table that is listed", () => {
  const empty = [
    ...Object.entries(RESULT_TABLES).filter(([, make]) => make(result).every(({ rows }) => rows.length === 0)),
    ...Object.entries(VARIANT_TABLES).filter(([, make]) =>
      result.variants.every((variant) => make(variant, result).every(({ rows }) => rows.length === 0))
    ),
  ];
  assert.deepEqual(empty.map(([name]) => name), []);
});

for (const [name, run] of [["whole", result], ["eventful", eventful()]] as const) {
  Deno.test(`tables of a result have the same cells in a terminal and in Markdown: ${name}`, () => {
    const page = createPage({ columns: 1000, color: false });
    for (const spec of tablesOf(run)) {
      const columns = columnsFor(spec, "lines").filter(({ only }) => only === undefined);
      const lines = renderRows(page, { ...spec, columns }).lines.map(squeezed);
      const rows = markdownTable({ ...spec, columns }).slice(2);
      for (const [i, row] of spec.rows.entries()) {
        const texts = textsOf(columns, row);
        const line = columns.filter(({ below }) => below === undefined);
        assert(lines.includes(squeezed(textsOf(line, row).join(" "))), `${spec.title}: ${texts}\n${lines.join("\n")}`);
        assert.equal(rows[i]!.replaceAll("**", ""), `| ${texts.map(markdownText).join(" | ")} |`, spec.title);
      }
    }
  });

  Deno.test(`tables of a result have whole figures in CSV, which their texts round: ${name}`, () => {
    for (const spec of tablesOf(run)) {
      const columns = columnsFor(spec, "data");
      const [headings, ...rows] = parseCsv(tableCsv(spec));
      assert.deepEqual(headings, columns.map(headingWithUnit), spec.title);
      assert.equal(new Set(columns.map(({ name }) => name)).size, columns.length, spec.title);
      for (const [i, row] of spec.rows.entries()) {
        for (const [j, column] of columns.entries()) checkField(rows[i]![j]!, column, row);
      }
    }
  });

  Deno.test(`tables of a result have the same cells in the HTML report: ${name}`, () => {
    withDocument(() => {
      for (const spec of tablesOf(run)) checkHtml(standIn(createTable(spec).element), spec);
    });
  });
}

/** Fails unless a field of CSV is the column's value, and the text that is shown rounds it. */
function checkField(field: string, column: Column<unknown>, row: unknown): void {
  const value = column.value(row);
  const what = `${column.name}: ${field}`;
  if (value === null) return assert.equal(field, "", what);
  if (typeof value === "string") return assert.equal(field.replace(/^'/, ""), value, what);
  assert.equal(Number(field), Number(value.toPrecision(9)), what);
  const { text } = cellOf(column, row);
  const [number, decimals = ""] = text.replaceAll(",", "").match(/-?\d+(?:\.(\d+))?/) ?? [];
  if (number === undefined || /[a-zA-Z<]/.test(text)) return; // units of its own, or less than can be shown
  assert(Math.abs(Number(number) - value) <= 0.5001 * 10 ** -decimals.length, `${what} is shown as ${text}`);
}

/** Fails unless a table of the page has the cells of the declaration. */
function checkHtml(table: StandIn, spec: AnyTable, omit: readonly string[] = []): void {
  const columns = columnsFor(spec, "data").filter(({ name }) => !omit.includes(name));
  const [body] = table.all("tbody");
  const rows = body!.all("tr").map((row) => row.children.map((cell) => standIn(cell).textContent));
  assert.deepEqual(rows, spec.rows.slice(0, rows.length).map((row) => textsOf(columns, row)), spec.title);
}

Deno.test("what the page draws around cells leaves their text as it is", () => {
  const { overview } = splitResult(result, null);
  const [variant] = result.variants;
  const context: VariantContext = {
    overview,
    variant: variant!,
    index: 0,
    anchors: new Anchors(),
    shared: new Anchors(),
  };
  const specs = new Map(tablesOf({ ...result, variants: [...result.variants] }).map((spec) => [spec.title, spec]));
  const found = withDocument(() =>
    [
      ...[matrixSection, effectsSection, ladderSection].map((make) => make(overview)),
      ...[opsSection, typesSection, hostSection, cpuSection, rangesSection].map((make) => make(context)),
    ].flatMap(({ content }) =>
      typeof content === "string" ? [] : content.filter((child) => typeof child === "object" && child !== null)
        .map(standIn).filter((element) => element.getAttribute("class") === "table")
    )
  );
  assert.equal(found.length, 10);
  for (const table of found) checkHtml(table, specs.get(table.all("caption")[0]!.textContent)!);
});
