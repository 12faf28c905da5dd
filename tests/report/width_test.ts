/** Renders whole outputs for terminals of common widths. */
import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { GROUPINGS } from "../../runtime/analysis/op_groups.ts";
import { headlineText } from "../../runtime/report/headline.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { renderOutcome } from "../../runtime/report/outcome/outcome.ts";
import { renderProfile } from "../../runtime/report/profile/profile.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { effects, findings, judged, ladder, target } from "./judged_fixture.ts";
import { fullResult } from "./html/full_result.ts";
import { picturedResult } from "../support/pictured_result.ts";
import { eventful } from "./result_fixture.ts";

const WIDTHS = [60, 80, 120];

const adapted = {
  adapters: ["software"],
  changes: [
    { path: "loader.batchSize", from: 32, to: 8 },
    { path: "measure.steps", from: 5, to: 2 },
    { path: "measure.maxTime", from: null, to: 75 },
  ],
  omitted: ["workers", "all"],
};

/** Every part that a result can have, without a patch, whose lines are kept as they are. */
function results(): Result[] {
  const run = judged();
  const variants = run.variants.map((variant) => ({ ...variant, target, findings: [...findings] }));
  const whole = { ...run, variants, effects, ladder: { ...ladder, patch: null } };
  return [eventful(), { ...whole, scenario: { ...run.scenario, adapted } }, { ...fullResult(), ladder: null }];
}

function checkWidth(text: string, columns: number): void {
  for (const line of text.split("\n")) assert(stringWidth(line) <= columns, `${columns}: ${line}`);
}

Deno.test("no line of a result is wider than the terminal", () => {
  for (const result of results()) {
    for (const columns of WIDTHS) {
      const look = { columns, color: true };
      for (const explain of [false, true]) checkWidth(renderMatrix(result, { ...look, explain }), columns);
      for (const advice of [false, true]) {
        checkWidth(renderOutcome(result, { ...look, raw: true, advice, explain: true }), columns);
      }
      checkWidth(
        renderProfile(result, { ...look, verbosity: 2, groupBy: GROUPINGS, sort: "order", top: null }),
        columns,
      );
    }
  }
});

Deno.test("the output of the first command fits 40 lines, and ends with the sentence to quote", async () => {
  const run = await picturedResult();
  for (const columns of [80, 100, 120, null]) {
    const look = { columns, color: true };
    const text = renderOutcome(run, { ...look, raw: false, advice: false }) + renderMatrix(run, look);
    const lines = stripVTControlCharacters(text).trimEnd().split("\n");
    assert(lines.length <= 40, `${columns}: ${lines.length} lines`);
    assert(lines.join(" ").replaceAll(/ +/g, " ").endsWith(` ${headlineText(run)}`), lines.at(-1));
    assert.match(text, /for a software adapter: optimizer\.learningRate 0\.1 -> 0\.025, loader/);
  }
  for (const columns of WIDTHS) {
    const look = { columns, color: true, explain: true };
    checkWidth(renderOutcome(run, { ...look, raw: true, advice: true }) + renderMatrix(run, look), columns);
  }
});
