import assert from "node:assert/strict";
import { measured, MEASUREMENTS, type Source, SOURCES } from "../../../runtime/report/dialects/columns.ts";
import { DIALECTS } from "../../../runtime/report/dialects/names.ts";

const entries = DIALECTS.flatMap((dialect) =>
  Object.entries<Source>(SOURCES[dialect]).map(([column, source]) => ({ dialect, column, source }))
);

Deno.test("every column of every dialect shows named measurements, a label, or nothing", () => {
  for (const { dialect, column, source } of entries) {
    if (source === null || source === "label") continue;
    assert(source.length > 0, `${dialect} ${column}`);
    for (const name of source) assert(MEASUREMENTS.includes(name), `${dialect} ${column}: ${name}`);
  }
  assert.equal(new Set(MEASUREMENTS).size, MEASUREMENTS.length);
});

Deno.test("a column without a measurement shows no value", () => {
  assert.equal(measured("nnc", "update", 3), 3);
  assert.equal(measured("paddle", "Operator CPU", 3), null);
  assert.equal(measured("paddle", "Overview GPU Time Memcpy", 3), null);
});
