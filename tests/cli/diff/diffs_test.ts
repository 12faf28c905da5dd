import { deepStrictEqual, match, throws } from "node:assert/strict";
import { checkDiffs, shownDiffs } from "../../../runtime/cli/diff/diffs.ts";
import { parseFlags } from "../../../runtime/cli/flags.ts";
import { markdownOpDiff, renderOpDiff } from "../../../runtime/report/op_diff/text.ts";
import { profiled } from "../../report/profile_fixture.ts";
import { result, variant } from "../../report/result_fixture.ts";

const flagsOf = (...args: string[]) =>
  parseFlags(args, { command: "x", helpAfter: () => "", helpWidth: 100, write: () => {} })!;

Deno.test("--diff takes two names and may be repeated", () => {
  deepStrictEqual(flagsOf("--diff", "a", "b", "sink=2").diff, [["a", "b"]]);
  deepStrictEqual(flagsOf("--diff", "a", "b", "sink=2").overrides, ["sink=2"]);
  deepStrictEqual(flagsOf("--diff", "a", "sink=2,amp=O2", "--diff", "b", "c").diff, [["a", "sink=2,amp=O2"], [
    "b",
    "c",
  ]]);
  throws(() => flagsOf("--diff", "a"), /--diff: expected two names, as in --diff baseline sink, got a/);
  throws(() => flagsOf("--diff", "a", "--quiet"), /--diff: expected two names, .*, got a/);
  throws(() => flagsOf("--diff-by", "layer"), /--diff-by: expected op or kernel/);
});

Deno.test("an unknown variant, and a unit without a difference, are refused before the run", () => {
  throws(() => checkDiffs({ diff: [["baseline", "snik"]] }, ["baseline", "sink"]), /got "snik"; did you mean "sink"/);
  throws(() => checkDiffs({ diffBy: "kernel" }, ["baseline"]), /--diff-by: needs --diff/);
});

Deno.test("a difference is printed for a terminal and as Markdown, without op times with the reason", () => {
  const run = result([profiled("baseline"), profiled("amp"), variant("plain")]);
  const [shown] = shownDiffs(run, { diff: [["baseline", "amp"]], top: 3 });
  const text = renderOpDiff(shown!, { columns: 100, color: false });
  match(text, /^Difference by op: amp \(B\) against baseline \(A\), no op changed/);
  match(text, /not shown: 6 ops without a change/);
  match(text, /all of the above +8\.00 +8\.00/);
  match(markdownOpDiff(shown!).flat().join("\n"), /\| features\.conv1 \| forward \| 2\.00 \| 2\.00 \|/);
  const [none] = shownDiffs(run, { diff: [["baseline", "plain"]] });
  match(renderOpDiff(none!, { columns: 100, color: false }), /– plain has no op times: run it with --diff/);
});
