import assert from "node:assert/strict";
import { renderChanges } from "../../../runtime/cli/commands/render_kept.ts";
import { changesTable, findChanges } from "../../../runtime/library/kept/history_changes.ts";
import type { Environment } from "../../../runtime/result/schema.ts";
import type { HistoryPoint, RunSummary } from "../../../runtime/store/records.ts";
import { result } from "../../report/result_fixture.ts";

const LOOK = { columns: 100, color: false } as const;
const { environment } = result([]);

function point(i: number, value: HistoryPoint["value"]): HistoryPoint {
  const run = { id: `run${i}`, started: i * 3_600_000, git: `c${i}`.padEnd(40, "0") } as RunSummary;
  return { run, variant: "a", value, low: null, high: null, unit: "ms" };
}

/** The driver changes with run 12. */
const environmentOf = (id: string): Environment => ({
  ...environment,
  deno: Number(id.slice(3)) < 12 ? "2.9.5" : "2.9.6",
});

Deno.test("a change has its runs, commits and what differed in the environment", () => {
  const points = Array.from({ length: 24 }, (_, i) => point(i, (i < 12 ? 100 : 120) + i % 3));
  const changes = findChanges("batchCost", points, environmentOf);
  assert.equal(changes.length, 1);
  const [{ lastBefore, firstAfter, commits, before, after, p, environment }] = changes as [typeof changes[0]];
  assert.deepEqual([lastBefore, firstAfter, before, after], ["run11", "run12", 101, 121]);
  assert.deepEqual(Object.values(commits).map((commit) => commit!.slice(0, 3)), ["c11", "c12"]);
  assert(p !== null && p <= 0.01);
  assert.deepEqual(environment, [{ what: "Deno", then: "2.9.5", now: "2.9.6" }]);
  const text = renderChanges("batchCost.a of net", changes, points, LOOK);
  assert.match(text, /^Changes of batchCost\.a of net in 24 runs\n/);
  assert.match(text, /\+20 %/);
  assert.match(text, /commits c110000000\.\.c120000000; Deno 2\.9\.5 -> 2\.9\.6/);
});

Deno.test("exact metrics and words change with every other value, and runs without a value are skipped", () => {
  const points = [22, null, 22, 23].map((value, i) => point(i, value));
  const [change, ...more] = findChanges("exact.dispatches", points, environmentOf);
  assert.deepEqual([change!.lastBefore, change!.firstAfter, change!.p, more.length], ["run2", "run3", null, 0]);
  const words = ["same", "slower"].map((value, i) => point(i, value));
  const changes = findChanges("verdict", words, environmentOf);
  assert.deepEqual([changes[0]!.before, changes[0]!.after], ["same", "slower"]);
  assert.equal(changesTable("verdict.a", changes, words).columns.some(({ name }) => name === "change"), false);
  assert.equal(renderChanges("x", [], words, LOOK), "x has no change in 2 runs\n");
});
