import assert from "node:assert/strict";
import { compareRuns } from "../../../runtime/analysis/run_comparison.ts";
import type { Result } from "../../../runtime/result/schema.ts";
import { overviewTable } from "../../../runtime/library/kept/comparison_overview.ts";
import { cellOf } from "../../../runtime/report/spec.ts";
import { metric, noMetrics, result, variant } from "../../report/result_fixture.ts";

/** Returns a result with the throughput of each variant, without blocks. */
function withIps(speeds: Readonly<Record<string, number>>): Result {
  return result(
    Object.entries(speeds).map(([name, ips]) =>
      variant(name, { metrics: { ...noMetrics, ips: metric(ips, "images/s") }, blocks: [] })
    ),
  );
}

Deno.test("several runs stand beside the first, each with its change; a variant that a run lacks has no figure there", () => {
  const [a, b, c] = [
    withIps({ baseline: 100, sink: 200 }),
    withIps({ baseline: 110 }),
    withIps({ baseline: 80, amp: 300 }),
  ] as const;
  const { columns, rows } = overviewTable("a", [
    { now: "b", variants: compareRuns(a, b, ["ips"]) },
    { now: "c", variants: compareRuns(a, c, ["ips"]) },
  ]);
  assert.deepEqual(columns.map(({ name }) => name), ["variant", "metric", "unit", "a", "b", "c"]);
  assert.deepEqual(rows.map((row) => columns.map((column) => cellOf(column, row).text)), [
    ["baseline", "ips", "images/s", "100", "110  ×1.100", "80.0  ×0.800"],
    ["sink", "ips", "images/s", "200", "–", "–"],
    ["amp", "ips", "images/s", "–", "–", "300"],
  ]);
});
