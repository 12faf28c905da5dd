import { sha256 } from "../../core/sha256.ts";
import type { Check, Place } from "./check.ts";

/** An issue in GitLab's Code Quality report, a part of Code Climate's format. */
export interface CodeQualityIssue {
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
