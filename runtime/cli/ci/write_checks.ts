import { relative, resolve } from "node:path";
import { readText, writeFile } from "../../core/files.ts";
import { evaluateGates, type GatedResult } from "../../analysis/gates/evaluate_gates.ts";
import { printableJson } from "../../core/printable.ts";
import { environment } from "../../device/environment.ts";
import type { Gates } from "../../library/read_gates.ts";
import {
  type Check,
  checksOf,
  githubAnnotations,
  gitlabReport,
  junitReport,
  type Place,
} from "../../report/ci/check.ts";
import { gatesTable } from "../../report/gates.ts";
import { renderMarkdown } from "../../report/markdown/markdown.ts";
import { markdownSection, markdownText } from "../../report/markdown/text.ts";
import type { Result } from "../../result/schema.ts";
import type { Flags } from "../flags.ts";
import { writeTarget } from "../json_output.ts";
import { writeError, writeOut } from "../terminal.ts";

/** File that GitLab jobs name as their Code Quality artifact. */
const GITLAB_FILE = "gl-code-quality-report.json";

/** Largest summary of a step in bytes; GitHub rejects larger ones ("Workflow commands for GitHub Actions"). */
const LARGEST_SUMMARY = 1024 * 1024;

/** Run whose checks are written. */
export interface CheckedRun {
  readonly scenario: string;
  /** Path of the script; null if it is not a file. */
  readonly file: string | null;
  readonly gated: GatedResult;
  readonly gates: Gates | null;
  /** Whole result, for the summary; null for a dry run. */
  readonly result: Result | null;
  /** Command line of the run; null if unknown. */
  readonly command: string | null;
  /** True if stdout holds data, so that annotations go to stderr. */
  readonly toStderr: boolean;
}

/** Writes the checks of a run for a CI system, as `--annotations` and `--junit` say. */
export async function writeChecks(
  { annotations, junit, gateUndecided = "fail" }: Pick<Flags, "annotations" | "junit" | "gateUndecided">,
  run: CheckedRun,
): Promise<void> {
  const system = annotations === "auto" ? currentSystem() : annotations ?? null;
  if (system === null && junit === undefined) return;
  const { gates, gated } = run;
  const outcomes = gates === null ? [] : evaluateGates(gates.gates, gated, gates.runs);
  const checks = checksOf(gated.variants, outcomes, gateUndecided);
  const placeOf = await placesOf(run);
  if (junit !== undefined) writeTarget(junit, junitReport(run.scenario, checks, placeOf), "--junit");
  if (system === "gitlab") {
    const report = gitlabReport(checks, run.file ?? run.scenario, placeOf);
    writeTarget(GITLAB_FILE, `${printableJson(report)}\n`, "--annotations");
  }
  if (system !== "github") return;
  const lines = githubAnnotations(checks, placeOf);
  if (lines.length > 0) (run.toStderr ? writeError : writeOut)(`${lines.join("\n")}\n`);
  const summary = environment("GITHUB_STEP_SUMMARY") ?? "";
  if (summary !== "") writeFile(summary, summaryText(run, checks, outcomes), { create: true, append: true });
}

/** Returns the system whose job runs this process, by the variables that it sets; null if there is none. */
function currentSystem(): "github" | "gitlab" | null {
  if (environment("GITHUB_ACTIONS") === "true") return "github";
  return environment("GITLAB_CI") === "true" ? "gitlab" : null;
}

/** Returns the function that finds a variant's line in the script; it returns null if the script cannot be read. */
async function placesOf({ file }: CheckedRun): Promise<(variant: string) => Place | null> {
  if (file === null) return () => null;
  let source: string;
  try {
    source = readText(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return () => null;
    throw error;
  }
  const { lineOfVariant } = await import("../../experiment/tune/patch.ts");
  const root = environment("GITHUB_WORKSPACE") ?? environment("CI_PROJECT_DIR") ?? Deno.cwd();
  const path = relative(root, resolve(file));
  const shown = (path.startsWith("..") ? file : path).replaceAll("\\", "/");
  return (variant) => ({ file: shown, line: lineOfVariant(source, variant) });
}

function summaryText(
  { result, command, scenario }: CheckedRun,
  checks: readonly Check[],
  outcomes: Parameters<typeof gatesTable>[0],
): string {
  const section = markdownSection(gatesTable(outcomes));
  const gates = section.length === 0 ? "" : `${section.join("\n")}\n\n`;
  const unmet = checks.filter(({ state }) => state === "unmet").length;
  const head = `# ${markdownText(scenario)}: ${result === null ? "plans, " : ""}${unmet} unmet`;
  const report = result === null ? head : renderMarkdown(result, { command });
  const without = `${head}\n\nThe report is too large for a summary; \`--report\` writes it to a folder.`;
  return [`${gates}${report}\n`, `${gates}${without}\n`].find(isSmall) ?? `${without}\n`;
}

function isSmall(summary: string): boolean {
  return new TextEncoder().encode(summary).length <= LARGEST_SUMMARY;
}
