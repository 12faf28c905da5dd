import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { printableJson } from "../core/printable.ts";
import { checked, positiveInteger } from "../data/checked.ts";
import { tableCsv } from "../report/csv.ts";
import { markdownSection } from "../report/markdown/text.ts";
import { renderMarkdown } from "../report/markdown/markdown.ts";
import { renderMatrix } from "../report/matrix/matrix.ts";
import { renderFindings } from "../report/outcome/findings.ts";
import { renderOutcome } from "../report/outcome/outcome.ts";
import { createPage, type LookOptions, renderSection } from "../report/page.ts";
import { renderPipelines } from "../report/pipeline.ts";
import { renderProfileCsv } from "../report/profile/csv.ts";
import { renderProfile } from "../report/profile/profile.ts";
import type { AnyTable } from "../report/run_sections.ts";
import { TABLE_NAMES, tablesNamed } from "../report/tables.ts";
import type { Result } from "../result/schema.ts";
import { texts } from "./options.ts";
import type { Timeline } from "../record/timeline.ts";

/** Format of a rendered result. */
export type RenderFormat = "terminal" | "markdown" | "html" | "csv" | "json";

/** Options of `render`. */
export interface RenderOptions {
  /** Default `terminal`. */
  readonly format?: RenderFormat | undefined;
  /**
   * Parts to render, in this order: `matrix`, or tables by the names that `tacho show --csv` lists, such as `ops`. A terminal
   * also has `outcome` (effects, targets, bottlenecks, advice), `advice` (every finding), `profile` and `pipeline`, CSV has
   * `profile`. Parts that were not measured are left out. Default: `matrix` and `outcome` in a terminal, the page of
   * `--report` in Markdown, `speed` in CSV. HTML and JSON are always whole.
   */
  readonly sections?: readonly string[] | undefined;
  /** Columns of the terminal; null shows all columns of a table, however wide. Default 100. */
  readonly width?: number | null | undefined;
  /** Colours in a terminal. Default false. */
  readonly color?: boolean | undefined;
  /** Explains the method below the matrix in a terminal. Default false. */
  readonly explain?: boolean | undefined;
  /** Timelines for the HTML page, from the `timeline` events of the measurement. */
  readonly timelines?: readonly Timeline[] | undefined;
}

const FORMATS = ["terminal", "markdown", "html", "csv", "json"] as const satisfies readonly RenderFormat[];

const flag = z.boolean({ error: "expected true or false" }).optional();

const optionsSchema = z.strictObject({
  format: z.enum(FORMATS, { error: `expected one of ${FORMATS.join(", ")}` }).optional(),
  sections: texts.optional(),
  width: positiveInteger.nullable().optional(),
  color: flag,
  explain: flag,
  timelines: z.array(z.looseObject({}), { error: "expected timelines" }).optional(),
});

/** Renders a result for `render()`. */
export async function renderResult(result: Result, options: RenderOptions): Promise<string> {
  checked(optionsSchema, options, "render()");
  const { format = "terminal", sections, width = 100, color = false, explain = false, timelines = [] } = options;
  switch (format) {
    case "terminal":
      return terminalText(result, sections ?? ["outcome", "matrix"], { columns: width, color }, explain);
    case "markdown":
      return sections === undefined ? renderMarkdown(result, { command: null }) : markdownText(result, sections);
    case "csv":
      return csvText(result, sections ?? ["speed"]);
    case "html": {
      refuseSections(format, sections);
      const { renderHtml } = await import("../report/html/report.ts");
      return renderHtml(result, { timelines });
    }
    case "json":
      refuseSections(format, sections);
      return `${printableJson(result)}\n`;
  }
}

function terminalText(result: Result, sections: readonly string[], look: LookOptions, explain: boolean): string {
  const page = createPage(look);
  const outcome = { ...look, raw: false, advice: false };
  const profile = { ...look, verbosity: 2, groupBy: ["type"], sort: "order", top: null } as const;
  const own: Readonly<Record<string, () => string>> = {
    matrix: () => renderMatrix(result, { ...look, explain }),
    outcome: () => renderOutcome(result, outcome),
    advice: () => joinLines(renderFindings(page, result, { all: true })),
    profile: () => renderProfile(result, profile),
    pipeline: () => renderPipelines(result, look),
  };
  return join(sections.map((name) =>
    own[name]?.() ??
      join(tables("terminal", name, result, Object.keys(own)).map((table) => joinLines(renderSection(page, table))))
  ));
}

function markdownText(result: Result, sections: readonly string[]): string {
  const names = sections.flatMap((name) => name === "matrix" ? ["speed", "times"] : [name]);
  return join(
    names.flatMap((name) => tables("markdown", name, result, ["matrix"])).map((table) =>
      joinLines(markdownSection(table))
    ),
  );
}

function csvText(result: Result, sections: readonly string[]): string {
  const names = sections.flatMap((name) => name === "matrix" ? ["speed", "times"] : [name]);
  return join(
    names.flatMap((name) =>
      name === "profile" ? [renderProfileCsv(result)] : tables("csv", name, result, ["matrix", "profile"]).map(tableCsv)
    ),
  );
}

/** @throws {InputError} if there is no table of this name */
function tables(format: RenderFormat, name: string, result: Result, others: readonly string[]): AnyTable[] {
  if (TABLE_NAMES.includes(name)) return tablesNamed(name, result);
  throw new InputError(`render(): ${format} has no section "${name}"${suggestion(name, [...others, ...TABLE_NAMES])}`);
}

function refuseSections(format: RenderFormat, sections: readonly string[] | undefined): void {
  if (sections === undefined) return;
  throw new InputError(`render(): sections: ${format} is always whole; leave sections out, or use another format`);
}

/** Joins texts with an empty line between them. */
function join(parts: readonly string[]): string {
  return parts.map((part) => part.replace(/^\n+/, "").trimEnd()).filter((part) => part !== "").map((part) =>
    `${part}\n`
  )
    .join("\n");
}

function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
