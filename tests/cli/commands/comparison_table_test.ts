import assert from "node:assert/strict";
import { compareRuns } from "../../../runtime/analysis/run_comparison.ts";
import { renderComparison } from "../../../runtime/cli/commands/comparison_table.ts";
import { failed, result, variant } from "../../report/result_fixture.ts";

Deno.test("a note explains why a variant has no figures in one of the runs", () => {
  const then = result([variant("baseline"), variant("sink"), variant("amp")]);
  const now = result([variant("baseline"), failed("sink", "no memory", 2), variant("renamed")]);
  const text = renderComparison(["one", "two"], compareRuns(then, now, ["ips"]), { columns: null, color: false });
  assert.match(text, /^not in one: renamed\nnot in two: amp\nfailed in two: sink$/m);
});
