import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { analyseAttached } from "../../../runtime/analysis/attach/analyse.ts";
import { type AttachRecord, type CutRecord, RECORDS_VERSION, TOTALS } from "../../../runtime/attach/records.ts";
import { BoundedRecords } from "../../../runtime/library/attach/bounded_records.ts";

const totals = (dispatches: number) => TOTALS.map((name) => name === "dispatches" ? dispatches : 0);

/** A step of a program that ends steps itself. */
function cut(i: number): CutRecord {
  return {
    ...{ kind: "cut", device: 0, by: "step", name: null, start: i, end: i + 1, symbol: 7, totals: totals(i + 1) },
    ...{ pending: 0, host: [], memory: 0, peak: 0 },
  };
}

/** Records `steps` steps and keeps at most 10 one by one. */
function record(steps: number): readonly AttachRecord[] {
  const records = new BoundedRecords(10);
  records.write({ kind: "start", version: RECORDS_VERSION, realm: "main", time: 0, timeOrigin: 0 });
  records.write({ kind: "device", device: 0, time: 0, label: "", adapter: "a", timestamps: "none" });
  for (let i = 0; i < steps; i++) records.write(cut(i));
  return records.all();
}

Deno.test("records of a long program stay bounded, its totals exact, and a note says what is left out", () => {
  const [short, long] = [record(10), record(1000)];
  strictEqual(long.length, short.length + 2);
  const { devices: [device], notes } = analyseAttached([long], "step");
  strictEqual(device!.totals.dispatches, 500_500);
  deepStrictEqual([device!.steps.by, device!.steps.steps.length], ["step", 10]);
  ok(notes[0]!.startsWith("the first 10 stretches"), notes[0]);
  deepStrictEqual(analyseAttached([short], "step").notes, []);
});
