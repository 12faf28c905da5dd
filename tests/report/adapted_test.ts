import assert from "node:assert/strict";
import { adaptedText } from "../../runtime/report/adapted.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { judged } from "./judged_fixture.ts";

const adapted = {
  adapters: ["software"],
  changes: [{ path: "loader.batchSize", from: 32, to: 8 }, { path: "measure.steps", from: 5, to: 2 }],
  omitted: ["workers", "all"],
};

Deno.test("one sentence names the settings chosen for the adapter", () => {
  assert.equal(
    adaptedText(adapted, true),
    "for a software adapter: loader.batchSize 32 -> 8, measure.steps 5 -> 2; without workers, all " +
      "(--settings-for none: as in the script)",
  );
  assert.equal(
    adaptedText({ adapters: ["GeForce"], changes: [], omitted: [] }, false),
    "for GeForce: nothing changed",
    "without a command line",
  );
  assert.equal(adaptedText({ adapters: [], changes: [], omitted: [] }, true), null);
  assert.equal(adaptedText(null, true), null);
});

Deno.test("the head of the matrix has that sentence", () => {
  const run = judged();
  const text = renderMatrix({ ...run, scenario: { ...run.scenario, adapted } }, { columns: null, color: false });
  assert.match(text, /\nllvmpipe .*\nfor a software adapter: loader\.batchSize 32 -> 8, /);
  assert.doesNotMatch(renderMatrix(run, { columns: null, color: false }), /settings-for/);
});
