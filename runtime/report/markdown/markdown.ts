import type { Result } from "../../result/schema.ts";
import { ablationsTable, bottleneckTable } from "../outcome/bottleneck.ts";
import { changesText } from "../differences.ts";
import { environmentTable } from "../environment.ts";
import { gainText, type NamedFinding, rankedFindings } from "../outcome/findings.ts";
import { formatRatio } from "../format.ts";
import { ladderTable } from "../outcome/ladder.ts";
import { markdownFence, markdownList, markdownSection, markdownText } from "./text.ts";
import { footFacts, footSigns } from "../matrix/foot.ts";
import { headSentences } from "../matrix/head.ts";
import { speedTable } from "../matrix/speed.ts";
import { timesTable } from "../matrix/times.ts";
import { kernelsTable } from "../attach/tables.ts";
import { markdownOpDiff, type ShownDiff } from "../op_diff/text.ts";
import type { Plot } from "../plots/plot.ts";
import { nameInProse, namesInProse } from "../plain_text.ts";
import { profiledPrograms } from "../programs/attached.ts";
import { type AnyTable, RUN_SECTIONS, tablesOfSection } from "../run_sections.ts";

/** Kernels of a program that are listed. */
const MAX_KERNELS = 12;

export interface MarkdownOptions {
  /** Command line of the run; null where it is unknown. */
  command: string | null;
  /** Differences by op to show. Default none. */
  diffs?: readonly ShownDiff[];
  /** Plots in files of the folder `plots` beside the document. Default none. */
  plots?: readonly Pick<Plot, "name" | "title" | "about">[];
}

/** Renders a result in GitHub-flavoured Markdown, for pull requests and notes. */
export function renderMarkdown(result: Result, { command, diffs = [], plots = [] }: MarkdownOptions): string {
  const parts = [
    [`# ${markdownText(result.scenario.name) || "–"}`, "", ...markdownList(headSentences(result))],
    ...matrix(result),
    plots.length === 0 ? [] : ["## Plots", "", ...plots.flatMap(plotLines)],
    ...RUN_SECTIONS.flatMap((section) => [
      ...tablesOfSection(section, result),
      ...section.anchor === "programs" ? kernelsOfPrograms(result) : [],
    ]).map((table) => markdownSection(table)),
    markdownSection(bottleneckTable(result)),
    markdownSection(ablationsTable(result)),
    ...diffs.flatMap(markdownOpDiff),
    findings(rankedFindings(result)),
    ladder(result),
    markdownSection(environmentTable(result.environment)),
    reproduction(result, command),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n").trimEnd()}\n`).join("\n");
}

/** Returns the kernels of each profiled program. */
function kernelsOfPrograms(result: Result): AnyTable[] {
  return profiledPrograms(result).map(({ name, device }) => {
    const table = kernelsTable(device, MAX_KERNELS);
    return { ...table, title: `${nameInProse(name)}: ${table.title}` };
  });
}

/** Renders the two tables of the matrix, its facts and its legend. */
function matrix(result: Result): string[][] {
  return [
    markdownSection(speedTable(result)),
    markdownSection(timesTable(result)),
    markdownList(footFacts(result).map(({ text }) => text)),
    [
      "<details><summary>Legend</summary>",
      "",
      ...markdownList(footSigns(result)),
      "",
      "</details>",
    ],
  ];
}

function plotLines({ name, title, about }: Pick<Plot, "name" | "title" | "about">): string[] {
  return [`${markdownText(`${title}. ${about}`)}`, "", `![${markdownText(title)}](plots/${name}.svg)`, ""];
}

function findings(ranked: readonly NamedFinding[]): string[] {
  if (ranked.length === 0) return [];
  return ["## Advice, by predicted gain", "", ...ranked.flatMap(describe)];
}

function describe({ variants, finding }: NamedFinding): string[] {
  const { message, evidence, changes, predicted } = finding;
  const below = [
    ...evidence.map(({ label, value, where }) => `${label}: ${value} (${where})`),
    ...changes.length === 0 ? [] : [`change: ${changesText(changes)}`],
    ...predicted === null ? [] : [`predicted ${formatRatio(predicted.gain)}: ${predicted.reasoning}`],
  ];
  return [
    `- **${gainText(finding).trimEnd()}** ${markdownText(`${message} (${namesInProse(variants)})`)}`,
    ...markdownList(below).map((line) => `  ${line}`),
  ];
}

function ladder({ ladder }: Result): string[] {
  if (ladder === null) return [];
  const patch = ladder.patch === null ? [] : ["", ...markdownFence(ladder.patch.trimEnd().split("\n"), "diff")];
  return [...markdownSection(ladderTable(ladder)), ...patch];
}

function reproduction({ scenario, environment: { git } }: Result, command: string | null): string[] {
  const script = scenario.file === null ? null : `script ${scenario.file}` +
    (scenario.sha256 === null ? "" : `, SHA-256 ${scenario.sha256}`);
  return [
    "## How to reproduce",
    "",
    ...command === null ? [] : [...markdownFence([command], "sh"), ""],
    ...markdownList([
      `seed ${scenario.seed}`,
      ...script === null ? [] : [script],
      ...git === null ? [] : [`commit ${git}`],
    ]),
  ];
}
