import type { Environment, Result } from "../../result/schema.ts";
import { armsSection, bottleneckSection } from "../outcome/bottleneck.ts";
import { effectsSection } from "../outcome/effects.ts";
import { changesText, gainText, type NamedFinding, rankedFindings } from "../outcome/findings.ts";
import { formatCount, formatRatio } from "../format.ts";
import { ladderSection } from "../outcome/ladder.ts";
import { markdownList, markdownSection, markdownTable } from "./table.ts";
import { markdownFence, markdownText } from "./text.ts";
import { matrixRows } from "../matrix/matrix.ts";
import type { MatrixColumn } from "../matrix/column.ts";
import { footFacts, footSigns } from "../matrix/foot.ts";
import { headSentences } from "../matrix/head.ts";
import { speedColumns } from "../matrix/speed.ts";
import { timeColumns } from "../matrix/times.ts";
import { MissingReasons } from "../missing.ts";
import type { Section } from "../page.ts";
import { namesInProse } from "../plain_text.ts";
import { formatBytes } from "../quantities.ts";
import { targetSections } from "../outcome/target.ts";

export interface MarkdownOptions {
  /** The command line that made the result; null where it is not known. */
  command: string | null;
}

/** The result in GitHub-flavoured Markdown, for pull requests and notes. */
export function renderMarkdown(result: Result, { command }: MarkdownOptions): string {
  const section = <T>(made: Section<T> | null) => made === null ? [] : markdownSection(made);
  const parts = [
    [`# ${markdownText(result.scenario.name) || "–"}`, "", ...markdownList(headSentences(result))],
    ...matrix(result),
    section(effectsSection(result)),
    ...targetSections(result).map(section),
    section(bottleneckSection(result)),
    section(armsSection(result)),
    findings(rankedFindings(result)),
    ladder(result),
    environment(result.environment),
    repeat(result, command),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n").trimEnd()}\n`).join("\n");
}

/** The matrix in its two parts, and what stands below it. */
function matrix(result: Result): string[][] {
  const missing = new MissingReasons(result);
  const table = (columns: readonly MatrixColumn[]) => markdownTable(columns, matrixRows(result, columns, missing));
  const [speed, times] = [table(speedColumns(result)), table(timeColumns(result))];
  return [
    ["## Speed", "", ...speed],
    ["## Time of a step", "", ...times],
    markdownList(footFacts(result).map(({ text }) => text)),
    [
      "<details><summary>What the signs mean</summary>",
      "",
      ...markdownList(footSigns(result, missing)),
      "",
      "</details>",
    ],
  ];
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
  return [...markdownSection(ladderSection(ladder)), ...patch];
}

function environment({ adapter, variables, ...machine }: Environment): string[] {
  const commit = machine.git === null ? null : `${machine.git}${machine.gitDirty === true ? ", with changes" : ""}`;
  const facts: [string, string | null][] = [
    ["adapter", adapter === null ? "none was used" : adapter.name],
    ["vendor", adapter?.vendor ?? null],
    ["backend", adapter?.backend ?? null],
    ["driver", adapter?.driver ?? null],
    ["software adapter", adapter?.fallback == null ? null : adapter.fallback ? "yes" : "no"],
    ["processor", machine.cpu],
    ["cores", machine.cores === null ? null : formatCount(machine.cores)],
    ["memory", machine.memory === null ? null : formatBytes(machine.memory)],
    ["system", machine.os],
    ["Tacho", machine.tacho],
    ["Deno", `${machine.deno}, V8 ${machine.v8}`],
    ["commit", commit],
    ["deno.lock", machine.lockHash],
    ...Object.entries(variables),
  ];
  const columns = ["environment", "value"].map((name) => ({ name, heading: [name], align: "left" as const }));
  return [
    "## Environment",
    "",
    ...markdownTable(columns, facts.map(([name, value]) => [name, value ?? "–"].map((text) => ({ text })))),
  ];
}

function repeat({ scenario, environment: { git } }: Result, command: string | null): string[] {
  const script = scenario.file === null ? null : `the script was ${scenario.file}` +
    (scenario.sha256 === null ? "" : `, SHA-256 ${scenario.sha256}`);
  return [
    "## To repeat it",
    "",
    ...command === null ? [] : [...markdownFence([command], "sh"), ""],
    ...markdownList([
      `seed ${scenario.seed}`,
      ...script === null ? [] : [script],
      ...git === null ? [] : [`at commit ${git}`],
    ]),
  ];
}
