import assert from "node:assert/strict";
import { compareRuns } from "../../../runtime/analysis/run_comparison.ts";
import { renderComparison } from "../../../runtime/cli/commands/render_kept.ts";
import { failed, result, variant } from "../../report/result_fixture.ts";

Deno.test("a note explains why a variant has no figures in one of the runs", () => {
  const then = result([variant("baseline"), variant("sink"), variant("amp")]);
  const now = result([variant("baseline"), failed("sink", "no memory", 2), variant("renamed")]);
  const text = renderComparison(["one", "two"], compareRuns(then, now, ["ips"]), { columns: null, color: false });
  assert.match(text, /^not in one: renamed\nnot in two: amp\nfailed in two: sink$/m);
});

Deno.test("no line is wider than the terminal", () => {
  const run = result([variant("baseline"), variant("monitored")]);
  for (const columns of [60, 80, 120]) {
    const text = renderComparison(
      ["1m82s8j70tfr", "1m82sczs9hdc"],
      compareRuns(run, run, ["ips", "speedup", "iterationGap", "deviceBusy"]),
      {
        columns,
        color: false,
      },
    );
    for (const line of text.split("\n")) assert(line.length <= columns, `${columns}: ${line}`);
  }
});
