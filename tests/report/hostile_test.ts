/** Reports stay well-formed and execute nothing, with any names. */
import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import fc from "../packages/fast_check.ts";
import stringWidth from "string-width";
import { GROUPINGS } from "../../runtime/analysis/op_groups.ts";
import { renderTuning } from "../../runtime/report/autotune.ts";
import { createPaint } from "../../runtime/report/color.ts";
import { renderDialect } from "../../runtime/report/dialects/dialect.ts";
import { DIALECTS } from "../../runtime/report/dialects/names.ts";
import { renderDryRun } from "../../runtime/report/dry_run.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { renderOutcome } from "../../runtime/report/outcome/outcome.ts";
import type { LookOptions } from "../../runtime/report/page.ts";
import { renderPipelines } from "../../runtime/report/pipeline.ts";
import { renderProfile } from "../../runtime/report/profile/profile.ts";
import { renderProfileCsv } from "../../runtime/report/profile/csv.ts";
import { renderTrace } from "../../runtime/report/trace/trace.ts";
import { renderVariants } from "../../runtime/report/differences.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { parseCsv } from "../support/csv.ts";
import { parseTrace } from "../support/trace_validator.ts";
import { hostileDryRun, hostileResult, hostileText, hostileTimeline, renamed } from "./hostile.ts";
import { bottleneck, effects, findings, judged, ladder, target } from "./judged_fixture.ts";
import { profiled } from "./profile_fixture.ts";
import { full } from "../support/full.ts";

/** Every report of a result for a terminal. */
const RENDERERS: Readonly<Record<string, (result: Result, look: LookOptions) => string>> = {
  matrix: renderMatrix,
  outcome: (result, look) => renderOutcome(result, { ...look, raw: true, advice: true }),
  brief: (result, look) => renderOutcome(result, { ...look, raw: false, advice: false }),
  profile: (result, look) =>
    renderProfile(result, { ...look, verbosity: 2, groupBy: GROUPINGS, sort: "order", top: null }),
  tuning: (result, look) => renderTuning(result, { ...look, candidates: true }),
  pipelines: renderPipelines,
  ...Object.fromEntries(DIALECTS.map((dialect) => [
    dialect,
    (result: Result, look: LookOptions) => renderDialect(dialect, result, { ...look, verbosity: 2 as const }),
  ])),
};

/** Characters, except newlines, that could move the cursor, reverse the text direction or end a line. */
const CONTROL = /[^\n\P{C}]|[\u2028\u2029]/u;

/** Fails if `text` contains characters that control a terminal. */
function checkTerminalText(text: string, what: string): void {
  const found = text.match(new RegExp(`.{0,40}(?:${CONTROL.source}).{0,40}`, "u"));
  assert(found === null, `${what}: ${JSON.stringify(found?.[0])}`);
}

/** Fails if a line exceeds the width. Names are cut, so every line of a report fits. */
const BOUND = 1000;

function checkWidths(text: string, most: number): void {
  for (const line of text.split("\n")) {
    const width = stringWidth(line);
    assert(width <= most, `${width} columns of ${most}: ${line}`);
  }
}

/** Patches are printed in full, regardless of the width. */
function withoutPatch(result: Result): Result {
  return result.ladder === null ? result : { ...result, ladder: { ...result.ladder, patch: null } };
}

/** A complete result, with figures of typical size. */
function wholeResult(): Result {
  const { variants, ...rest } = withoutPatch(judged({ effects, ladder }));
  const [first, ...others] = variants;
  const { ops, profile } = profiled("baseline");
  return { ...rest, variants: [{ ...first!, ops, profile, bottleneck, findings, target }, ...others] };
}

// The other tools' logs have their own widths
for (const name of ["matrix", "outcome", "brief", "profile"]) {
  Deno.test(`hostile names make no line wider than the terminal: ${name}`, () => {
    const names = fc.array(hostileText(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(names, fc.constantFrom(80, 100, 120), (names, columns) => {
        checkWidths(RENDERERS[name]!(renamed(wholeResult(), names), { columns, color: false }), columns);
      }),
      { numRuns: full ? 15 : 5 },
    );
  });
}

for (const [name, render] of Object.entries(RENDERERS)) {
  Deno.test(`hostile names in the terminal: ${name}`, () => {
    fc.assert(
      fc.property(hostileResult().map(withoutPatch), fc.constantFrom(null, 80, 100), (result, columns) => {
        const plain = render(result, { columns, color: false });
        checkTerminalText(plain, name);
        assert.doesNotMatch(plain, /\bundefined\b|\[object Object\]/);
        checkWidths(plain, BOUND);
        assert.equal(stripVTControlCharacters(render(result, { columns, color: true })), plain);
      }),
      { numRuns: full ? 15 : 5 },
    );
  });
}

Deno.test("a dry run escapes hostile names", () => {
  fc.assert(
    fc.property(
      hostileDryRun(),
      (dryRun) => checkTerminalText(renderDryRun(dryRun, { columns: 100, color: false }), ""),
    ),
  );
});

Deno.test("the list of variants escapes hostile names and fits its width", () => {
  fc.assert(
    fc.property(hostileDryRun(), ({ variants, baseline }) => {
      const text = renderVariants(variants, baseline, { width: 100, paint: createPaint(false) }).join("\n");
      checkTerminalText(text, "list");
      checkWidths(text, 100);
    }),
  );
});

Deno.test("with hostile names, profile.csv has equal rows without formulas or control characters", () => {
  fc.assert(
    fc.property(hostileResult(), (result) => {
      const text = renderProfileCsv(result);
      checkTerminalText(text, "profile.csv");
      const rows = parseCsv(text);
      for (const row of rows) {
        assert.equal(row.length, rows[0]!.length);
        for (const field of row) {
          assert(!/^\s*[=+@-]/.test(field) || Number.isFinite(Number(field)), field.slice(0, 80));
        }
      }
    }),
    { numRuns: full ? 15 : 5 },
  );
});

Deno.test("with hostile names, trace.json keeps the names and can be embedded in HTML", () => {
  fc.assert(
    fc.property(fc.array(hostileTimeline(), { maxLength: 2 }), hostileResult(), (timelines, { scenario }) => {
      const text = renderTrace(timelines, { scenario: scenario.name });
      assert(!text.includes("<"));
      const named = parseTrace(text).traceEvents.filter(({ name }) => name === "process_name");
      assert.deepEqual(named.map(({ args }) => args!["name"]), timelines.map(({ variant }) => variant.toWellFormed()));
    }),
    { numRuns: full ? 15 : 5 },
  );
});
