import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { countCases } from "./junit.ts";

/** Returns the report of `deno test` for these cases, whose contents are elements such as `failure`. */
function report(...cases: readonly (readonly [name: string, content?: string])[]): string {
  const lines = cases.map(([name, content = ""]) =>
    `<testcase name="${name}" classname="./a_test.ts" time="0.001" line="1" col="6">\n${content}</testcase>`
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="deno test" tests="9" failures="0" errors="0">\n` +
    `<testsuite name="./a_test.ts" tests="9" disabled="0" errors="0" failures="0">\n${lines.join("\n")}\n` +
    `</testsuite>\n</testsuites>\n`;
}

const failure = `<failure message="x">Error: &lt;testcase&gt;</failure>`;

Deno.test("cases are counted by result", () => {
  const counts = countCases(report(["a"], ["b", failure], ["c", "<skipped/>"], ["d", `<error message="Cancelled"/>`]));
  deepStrictEqual(counts, { passed: 1, failed: 2, skipped: 1 });
});

Deno.test("steps are not counted at any depth, and a failed step counts once", () => {
  const counts = countCases(report(
    ["a", failure],
    ["b"],
    ["a &gt; one", failure],
    ["a &gt; two"],
    ["b &gt; one &gt; deep"],
  ));
  deepStrictEqual(counts, { passed: 1, failed: 1, skipped: 0 });
});

Deno.test("a case whose name looks like a step's is counted", () => {
  deepStrictEqual(countCases(report(["x &gt; y"], ["z"])), { passed: 2, failed: 0, skipped: 0 });
});

Deno.test("a file without tests has no cases", () => {
  deepStrictEqual(countCases("<testsuites>\n</testsuites>\n"), { passed: 0, failed: 0, skipped: 0 });
});

Deno.test("a missing or truncated report yields null", () => {
  strictEqual(countCases(null), null);
  strictEqual(countCases(report(["a"], ["b"]).slice(0, -20)), null);
});
