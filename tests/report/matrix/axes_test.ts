import assert from "node:assert/strict";
import { tableCsv } from "../../../runtime/report/csv.ts";
import { renderMarkdown } from "../../../runtime/report/markdown/markdown.ts";
import { renderMatrix } from "../../../runtime/report/matrix/matrix.ts";
import { speedTable } from "../../../runtime/report/matrix/speed.ts";
import { timesTable } from "../../../runtime/report/matrix/times.ts";
import { renderOutcome } from "../../../runtime/report/outcome/outcome.ts";
import { columnsFor } from "../../../runtime/report/spec.ts";
import { tablesNamed } from "../../../runtime/report/tables.ts";
import type { Result, VariantResult } from "../../../runtime/result/schema.ts";
import { result, variant } from "../result_fixture.ts";

const AXES: readonly VariantResult["axes"][] = [
  { "loader.batchSize": 8, amp: "O0" },
  { "loader.batchSize": 8, amp: "O2" },
  { "loader.batchSize": 64, amp: "O0" },
  { "loader.batchSize": 64, amp: "O2" },
];

function swept(axes = AXES, fields: Partial<Result> = {}): Result {
  const name = (values: VariantResult["axes"]) =>
    Object.entries(values).map(([path, value]) => `${path.split(".").at(-1)}=${value}`).join(",");
  return result(axes.map((values) => variant(name(values), { axes: values })), fields);
}

const look = { columns: 80, color: false };
const lines = (run: Result) => renderMatrix(run, look).split("\n");

Deno.test("the matrix of a sweep has a column per axis instead of the names that repeat their values", () => {
  const text = lines(swept());
  assert.ok(text.some((line) => /^batchSize {2}amp +images\/s {2}ratio/.test(line)), text.join("\n"));
  assert.ok(text.some((line) => /^ +64 {2}O2 +140/.test(line)));
  assert.ok(text.some((line) => /^ms per step/.test(line)));
  assert.ok(text.some((line) => /^ +batchSize {2}amp +cost/.test(line)), text.join("\n"));
});

Deno.test("data has the names too, and numbers as numbers", () => {
  const [heading, first] = tableCsv(speedTable(swept())).split("\n");
  assert.match(heading!, /^variant,batchSize,amp,/);
  assert.match(first!, /^"batchSize=8,amp=O0",8,O0,/);
  assert.match(tableCsv(timesTable(swept())), /^ms per step,batchSize,amp,/);
});

Deno.test("column names are unique in each medium", () => {
  for (const table of [speedTable(swept()), timesTable(swept())]) {
    for (const medium of ["lines", "data"] as const) {
      const names = columnsFor(table, medium).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, names.join());
    }
  }
});

Deno.test("an axis with one value has no column, and names stay where axes do not tell variants apart", () => {
  const one = AXES.map((values) => ({ ...values, sink: 0 }));
  assert.match(renderMatrix(swept(one), look), /^batchSize {2}amp +images/m);
  const alike = swept([AXES[0]!, AXES[0]!, AXES[1]!]);
  assert.match(renderMatrix(alike, look), /^variant .*\bamp /m);
  const single = swept([AXES[0]!]);
  assert.match(renderMatrix(single, look), /^batchSize=8,amp=O0 /m);
});

Deno.test("axes that end in the same key are headed by their paths, and an interrupted variant is marked", () => {
  const same = swept([{ "a.kind": "x", "b.kind": 1 }, { "a.kind": "y", "b.kind": 2 }]);
  assert.match(renderMatrix(same, look), /^a\.kind {2}b\.kind /m);
  const { variants, ...rest } = swept();
  const cut = {
    ...rest,
    variants: variants.map((one, i) => i === 1 ? { ...one, status: "interrupted" as const } : one),
  };
  assert.match(renderMatrix(cut, look), /^ +8 {2}O2† /m);
});

const FRONT: Result["front"] = {
  objectives: ["speed", "memory"],
  variants: [
    { name: "batchSize=8,amp=O0", status: "front", dominatedBy: null, best: ["memory"] },
    { name: "batchSize=8,amp=O2", status: "dominated", dominatedBy: "batchSize=8,amp=O0", best: [] },
    { name: "batchSize=64,amp=O0", status: "open", dominatedBy: null, best: ["speed"] },
  ],
};

Deno.test("the front lists the variants that are not dominated, with what they are best at", () => {
  const run = swept(AXES, { front: FRONT });
  const text = renderOutcome(run, { ...look, raw: false, advice: false });
  assert.match(text, /^Best variants, the Pareto front of speed, memory$/m);
  assert.match(text, /^ +8 {2}O0 .* least memory {2}yes$/m);
  assert.match(text, /^ +64 {2}O0 .* fastest +open$/m);
  assert.match(text, /dominated by batchSize=8,amp=O0: batchSize=8,amp=O2/);
  assert.match(text, /loss: not an objective, since a single training has no interval/);
  assert.match(renderMarkdown(run, { command: null }), /## Best variants, the Pareto front of speed, memory/);
  assert.equal(tablesNamed("front", run)[0]!.rows.length, 2);
  assert.deepEqual(tablesNamed("front", swept()), [], "none was found");
});
