import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import stringWidth from "string-width";
import { createPaint } from "../../runtime/report/color.ts";
import type { ColumnLayout as Column } from "../../runtime/report/spec.ts";
import { renderTable } from "../../runtime/report/table.ts";
import { hostileText } from "./hostile.ts";

const paint = createPaint(false);
const name: Column = { name: "name", heading: ["name"], align: "left", cut: true };
const value: Column = { name: "value", heading: ["value"], align: "right" };
const extra: Column = { name: "extra", heading: ["extra"], align: "right", dropFirst: 1 };

const rows = [
  [{ text: "a-rather-long-name" }, { text: "1.5", mark: "*" }, { text: "7" }],
  [{ text: "b" }, { text: "12" }, { text: "8" }],
];

Deno.test("columns are dropped before names are cut", () => {
  const lines = (width: number) => renderTable([name, value, extra], rows, { width, drop: true, paint });
  assert.deepEqual(lines(40).lines, [
    "name                value  extra",
    "────────────────────────────────",
    "a-rather-long-name   1.5*      7",
    "b                     12       8",
  ]);
  assert.deepEqual(lines(26), {
    lines: [
      "name                value",
      "─────────────────────────",
      "a-rather-long-name   1.5*",
      "b                     12",
    ],
    dropped: ["extra"],
  });
  assert.deepEqual(lines(18).lines, [
    "name         value",
    "──────────────────",
    "a-ra…ng-name  1.5*",
    "b              12",
  ]);
});

Deno.test("without a terminal no column is dropped, and only very long names are cut", () => {
  const long = [[{ text: "x".repeat(10_000) }, { text: "1" }, { text: "2" }]];
  const { lines, dropped } = renderTable([name, value, extra], long, { width: 100, drop: false, paint });
  assert.deepEqual(dropped, []);
  assert(stringWidth(lines[2]!) > 100 && stringWidth(lines[2]!) < 200);
});

Deno.test("all rows are as wide as the rule, with any text", () => {
  fc.assert(
    fc.property(fc.array(hostileText(), { minLength: 1, maxLength: 5 }), hostileText(), (texts, heading) => {
      const columns = [{ ...name, heading: [heading] }, value];
      const cells = texts.map((text) => [{ text }, { text: "1.5" }]);
      const [head, rule, ...body] = renderTable(columns, cells, { width: 60, drop: true, paint }).lines;
      for (const line of body) assert.equal(stringWidth(line), stringWidth(rule!), line);
      assert(stringWidth(head!) <= stringWidth(rule!) && stringWidth(rule!) <= 60);
    }),
    { numRuns: 40 },
  );
});
