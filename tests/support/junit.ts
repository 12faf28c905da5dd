/** Numbers of test cases in a report, by result. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const SUITE = /<testsuite name="([^"]*)"[^>]*>([\s\S]*?)<\/testsuite>/g;
const CASE = /<testcase name="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g;

/**
 * Counts the cases in a JUnit report of `deno test`. The report also lists steps as cases, named `case > step`. Steps
 * are ignored, since a failed step fails its case.
 *
 * @param xml null if no report was written
 * @returns null if there is no report or it is truncated
 */
export function countCases(xml: string | null): Counts | null {
  if (xml === null || !xml.trimEnd().endsWith("</testsuites>")) return null;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, , body] of xml.matchAll(SUITE)) {
    const cases = [...body!.matchAll(CASE)].map(([, name, content]) => ({ name: name!, content: content! }));
    const names = new Set(cases.map(({ name }) => name));
    for (const { name, content } of cases) {
      if (isStep(name, names)) continue;
      if (/<(failure|error)\b/.test(content)) counts.failed++;
      else if (/<skipped\b/.test(content)) counts.skipped++;
      else counts.passed++;
    }
  }
  return counts;
}

/** Returns true for the name of a step, which starts with the name of its case. `>` is escaped in attributes. */
function isStep(name: string, names: ReadonlySet<string>): boolean {
  const separator = / (?:&gt;|>) /g;
  return [...name.matchAll(separator)].some(({ index }) => names.has(name.slice(0, index)));
}
