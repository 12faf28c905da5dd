import type { GateOutcome } from "../../analysis/gates/evaluate_gates.ts";
import type { VariantResult } from "../../result/schema.ts";
import { gateSentence } from "../gates.ts";
import { printable } from "../../core/printable.ts";
import { sha256 } from "../../core/sha256.ts";

/** A condition that a run checks: a variant that completes, or a gate on a variant. */
export interface Check {
  /** Gate as typed, or `completes`. */
  readonly name: string;
  readonly variant: string;
  /** `warning`: an undecided gate that counts as met. */
  readonly state: "met" | "warning" | "unmet";
  /** Result in one line. */
  readonly message: string;
}

/**
 * Returns the checks of a run: first that each variant completes, then each gate.
 *
 * @param undecided treatment of gates whose interval includes the limit
 */
export function checksOf(
  variants: readonly Pick<VariantResult, "name" | "status" | "error">[],
  outcomes: readonly GateOutcome[],
  undecided: "pass" | "fail",
): Check[] {
  const completed = variants.map(({ name, status, error }): Check => ({
    name: "completes",
    variant: name,
    state: status === "ok" ? "met" : "unmet",
    message: status === "ok" ? "completed" : error?.message ?? status,
  }));
  const gated = outcomes.map((outcome): Check => ({
    name: outcome.gate.text,
    variant: outcome.variant,
    state: outcome.state === "pass"
      ? "met"
      : outcome.state === "undecided" && undecided === "pass"
      ? "warning"
      : "unmet",
    message: gateSentence(outcome),
  }));
  return [...completed, ...gated];
}

/** A line of the user's script. */
export interface Place {
  /** Path relative to the root of the repository. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/**
 * Returns workflow commands of GitHub Actions that annotate the lines of unmet checks: `::error file=,line=,title=::message`
 * (docs.github.com, "Workflow commands for GitHub Actions").
 */
export function githubAnnotations(checks: readonly Check[], placeOf: (variant: string) => Place | null): string[] {
  return checks.filter(({ state }) => state !== "met").map(({ name, variant, state, message }) => {
    const place = placeOf(variant);
    const properties = [
      ...place === null ? [] : [`file=${workflowProperty(place.file)}`, `line=${place.line}`],
      `title=${workflowProperty(`${name} (${variant})`)}`,
    ];
    return `::${state === "unmet" ? "error" : "warning"} ${properties.join(",")}::${
      workflowData(`${variant}: ${message}`)
    }`;
  });
}

function workflowData(text: string): string {
  return printable(text).replaceAll("%", "%25");
}

function workflowProperty(text: string): string {
  return workflowData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** An issue in GitLab's Code Quality report, a part of Code Climate's format. */
interface CodeQualityIssue {
  readonly description: string;
  readonly check_name: string;
  /** Identifies the issue across commits. */
  readonly fingerprint: string;
  readonly severity: "major" | "minor";
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

/** Returns GitLab's Code Quality report of unmet checks. Checks without a place are located at the first line of `file`. */
export function gitlabReport(
  checks: readonly Check[],
  file: string,
  placeOf: (variant: string) => Place | null,
): CodeQualityIssue[] {
  return checks.filter(({ state }) => state !== "met").map(({ name, variant, state, message }) => {
    const place = placeOf(variant) ?? { file, line: 1 };
    return {
      description: `${name} (${variant}): ${message}`,
      check_name: name === "completes" ? "tacho/completes" : "tacho/gate",
      fingerprint: sha256(`${place.file}\n${name}\n${variant}`),
      severity: state === "unmet" ? "major" : "minor",
      location: { path: place.file, lines: { begin: place.line } },
    };
  });
}

/** Returns a JUnit report with a test case for each check, named after its variant and gate. */
export function junitReport(
  scenario: string,
  checks: readonly Check[],
  placeOf: (variant: string) => Place | null,
): string {
  const failures = checks.filter(({ state }) => state === "unmet").length;
  const counts = `tests="${checks.length}" failures="${failures}" errors="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="tacho" ${counts}>`,
    `  <testsuite name="${xml(scenario)}" ${counts} skipped="0">`,
    ...checks.flatMap((check) => testCase(scenario, check, placeOf(check.variant))),
    "  </testsuite>",
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

function testCase(scenario: string, { name, variant, state, message }: Check, place: Place | null): string[] {
  const where = place === null ? "" : ` file="${xml(place.file)}" line="${place.line}"`;
  const open = `    <testcase name="${xml(name)} (${xml(variant)})" classname="${
    xml(`${scenario}.${variant}`)
  }"${where}`;
  const text = xml(message);
  if (state === "unmet") return [`${open}>`, `      <failure message="${text}">${text}</failure>`, "    </testcase>"];
  return [`${open}>`, `      <system-out>${text}</system-out>`, "    </testcase>"];
}

/** Escapes text for XML 1.0, which has no way to write most control characters. */
function xml(text: string): string {
  return printable(text.toWellFormed()).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
