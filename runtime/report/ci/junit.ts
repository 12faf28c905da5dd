import { printable } from "../../core/printable.ts";
import type { Check, Place } from "./check.ts";

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
