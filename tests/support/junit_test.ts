import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readCases, sumCases } from "./junit.ts";

/** Returns the report of `deno test` for these cases, whose contents are elements such as `failure`. */
function report(...cases: readonly (readonly [name: string, content?: string])[]): string {
  const lines = cases.map(([name, content = ""]) =>
    `<testcase name="${name}" classname="./a_test.ts" time="0.25" line="1" col="6">\n${content}</testcase>`
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="deno test" tests="9" failures="0" errors="0">\n` +
    `<testsuite name="./a_test.ts" tests="9" disabled="0" errors="0" failures="0">\n${lines.join("\n")}\n` +
    `</testsuite>\n</testsuites>\n`;
}

const failure = `<failure message="x">Error: &lt;testcase&gt;</failure>`;

/** Returns the cases of a report with one file. */
const casesOf = (xml: string) => readCases(xml)!.get("a_test.ts");

Deno.test("cases are counted by result, the skipped ones are named", () => {
  const cases = casesOf(
    report(["a"], ["b", failure], ["c &gt; d", "<skipped/>"], ["d", `<error message="Cancelled"/>`]),
  );
  deepStrictEqual(cases, { passed: 1, failed: 2, skipped: ["c > d"], seconds: 1 });
});

Deno.test("steps are not counted at any depth, and a failed step counts once", () => {
  const cases = casesOf(report(
    ["a", failure],
    ["b"],
    ["a &gt; one", failure],
    ["a &gt; two"],
    ["b &gt; one &gt; deep"],
  ));
  deepStrictEqual(cases, { passed: 1, failed: 1, skipped: [], seconds: 0.5 });
});

Deno.test("a case whose name looks like a step's is counted", () => {
  strictEqual(casesOf(report(["x &gt; y"], ["z"]))!.passed, 2);
});

Deno.test("cases of several files are kept apart, and added up", () => {
  const [one, other] = [report(["a"]), report(["a", failure], ["b"]).replaceAll("a_test", "b_test")];
  const both = readCases(one.replace("</testsuites>\n", "") + other.slice(other.indexOf("<testsuite name")))!;
  deepStrictEqual([...both].map(([file, { passed, failed }]) => [file, passed, failed]), [
    ["a_test.ts", 1, 0],
    ["b_test.ts", 1, 1],
  ]);
  deepStrictEqual(sumCases(both.values()), { passed: 2, failed: 1, skipped: [], seconds: 0.75 });
});

Deno.test("a report without tests has no files", () => {
  strictEqual(readCases("<testsuites>\n</testsuites>\n")!.size, 0);
});

Deno.test("a missing or truncated report yields null", () => {
  strictEqual(readCases(null), null);
  strictEqual(readCases(report(["a"], ["b"]).slice(0, -20)), null);
});
