import { deepStrictEqual, match, throws } from "node:assert/strict";
import { checkDiffs, shownDiffs } from "../../../runtime/cli/diff/diffs.ts";
import { parseFlags } from "../../../runtime/cli/flags.ts";
import type { OpDiff } from "../../../runtime/analysis/op_diff/op_diff.ts";
import { renderOpDiffHtml } from "../../../runtime/report/op_diff/html.ts";
import type { AttachedProgram } from "../../../runtime/result/schema.ts";
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
  match(text, /device time, summed +8\.00 +8\.00/);
  match(markdownOpDiff(shown!).flat().join("\n"), /\| features\.conv1 \| forward \| 2\.00 \| 2\.00 \|/);
  const page = renderOpDiffHtml(shown!.diff as OpDiff, "op", ["Deno: 1 in a, <2> in b"]);
  match(page, /<h1>amp against baseline<\/h1>[^]*&lt;2&gt; in b[^]*<td[^>]*>features\.conv1<\/td>/);
  const [none] = shownDiffs(run, { diff: [["baseline", "plain"]] });
  match(renderOpDiff(none!, { columns: 100, color: false }), /– plain has no op times: run it with --diff/);
});

/** A program with one kernel that took this time in each of six timed steps. */
function programWith(name: string, ms: number) {
  const samples = [0, 1, -1, 2, -2, 0].map((part) => ms * (1 + 0.001 * part));
  const kernel = { name: "relu #01", label: "relu", entryPoint: "main", hash: "01", does: "", line: null };
  const times = { dispatches: 6, calls: 6, perStep: 1, timedBy: "pass", total: 6 * ms, median: ms, samples };
  const device = { steadySteps: 6, untimedWall: ms, kernels: [{ ...kernel, ...times, share: 1, grids: [] }] };
  return variant(name, { attached: { devices: [device] } as unknown as AttachedProgram });
}

Deno.test("programs of a run are compared by kernel, but not with a variant", () => {
  const run = result([profiled("baseline"), programWith("before", 1), programWith("after", 2)]);
  const [shown, none] = shownDiffs(run, { diff: [["before", "after"], ["baseline", "after"]] });
  const text = renderOpDiff(shown!, { columns: 100, color: false });
  match(text, /^Difference by kernel: after \(B\) against before \(A\), 1 of 1 kernel changed[^]*slower/);
  match(renderOpDiff(none!, { columns: 100, color: false }), /– after is a program and baseline is not/);
});
