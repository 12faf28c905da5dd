/// <reference lib="dom" />
/** Every table has the same content in a terminal, in Markdown, as CSV and in the HTML report. */
import assert from "node:assert/strict";
import { agreementOf } from "../../runtime/analysis/agreement/agreement.ts";
import { verifyLosses } from "../../runtime/analysis/agreement/verify_losses.ts";
import { evaluateGates } from "../../runtime/analysis/gates/evaluate_gates.ts";
import { parseGate } from "../../runtime/analysis/gates/parse_gate.ts";
import { compareRuns } from "../../runtime/analysis/run_comparison.ts";
import { baselinesTable } from "../../runtime/cli/commands/baseline.ts";
import { overviewTable } from "../../runtime/library/kept/comparison_overview.ts";
import { comparisonTable } from "../../runtime/library/kept/comparison_table.ts";
import { historyTable } from "../../runtime/library/kept/history_table.ts";
import { runsTable } from "../../runtime/library/kept/run_table.ts";
import { agreementTable } from "../../runtime/report/agreement.ts";
import { dryRunMemoryTable, dryRunWorkTable } from "../../runtime/report/dry_run.ts";
import { gatesTable } from "../../runtime/report/gates.ts";
import { verificationTable } from "../../runtime/report/agreement.ts";
import type { RunSummary } from "../../runtime/store/records.ts";
import { listTable } from "../../runtime/serve/client/runs_table.ts";
import { checkHtml, checkRenderings } from "./renderings.ts";
import { matrixSection, pageSpeedTable } from "../../runtime/report/html/client/comparison/matrix.ts";
import { effectsSection, frontSection, seedsSection } from "../../runtime/report/html/client/comparison/effects.ts";
import { ladderSection } from "../../runtime/report/html/client/comparison/ladder.ts";
import type { VariantContext } from "../../runtime/report/html/client/context.ts";
import { Anchors } from "../../runtime/report/html/client/route.ts";
import { nodesOf, tableContent } from "../../runtime/report/html/client/section.ts";
import { cpuSection, hostSection, rangesSection } from "../../runtime/report/html/client/variant/host.ts";
import { kernelsSection, opsSection, typesSection } from "../../runtime/report/html/client/variant/ops.ts";
import { splitResult } from "../../runtime/report/html/report.ts";
import { type AnyTable, RUN_SECTIONS, tablesOfSection } from "../../runtime/report/run_sections.ts";
import { RESULT_TABLES, TABLE_NAMES, tablesNamed, tablesOf, VARIANT_TABLES } from "../../runtime/report/tables.ts";
import { percentilesOf } from "../../runtime/core/percentile.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { standIn, withDocument } from "./html/dom_stand_in.ts";
import { fullResult } from "./html/full_result.ts";
import { target } from "./judged_fixture.ts";
import { dryRun, eventful, pipeline } from "./result_fixture.ts";

/** A run of a command. */
const run = { wall: 12, user: 9.5, system: 1, memory: 2 ** 21, status: 0 };

/** A result that fills every table. */
function wholeResult(): Result {
  const result = fullResult();
  const [first, ...others] = result.variants;
  const candidates = [{ name: "tiled", time: 2, chosen: false }, { name: "direct", time: 1.5, chosen: true }];
  const tuned = { op: "conv2d", nodes: ["a", "b"], inputs: ["f32 4x8"], outputs: ["f32 4x8"], key: "k" };
  return {
    ...result,
    procedure: { ...result.procedure!, statistic: "p95", energy: { sources: ["package-0"], idle: 12.5, reason: null } },
    variants: [{
      ...first!,
      blocks: first!.blocks.map((block) => ({ ...block, energy: 40, runs: [run, { ...run, status: 1, user: null }] })),
      stepTimes: {
        ...{ median: 2, p95: 3, p99: 4, max: 5, steps: 60 },
        percentiles: percentilesOf(Array.from({ length: 60 }, (_, i) => i)),
      },
      pipeline,
      target,
      autotune: {
        ops: [{ ...tuned, chosen: "direct", source: "timed", candidates }],
        hits: 0,
        spent: 1000,
        before: 4,
        after: 3,
        clock: "device",
        cache: "times.json",
        warnings: [],
      },
    }, ...others.map((variant) => ({ ...variant, config: { ...variant.config, sink: 10 } }))],
  };
}

const result = wholeResult();

/** Tables of profiled programs and of ranks, which their own tests cover. */
const COVERED = ["starts", "stepAccounts", "stepCounts", "kernels", "ranks"];

/** A run merged from two shards. */
const merged: Result = {
  ...result,
  nodes: [1, 2].map((shard) => ({
    ...{ shard, of: 2, host: `node${shard}`, adapter: "llvmpipe", driver: null, rounds: 8 },
    ...{ baselineSpread: 0.02, noiseFloor: shard === 1 ? 0.01 : null },
    speeds: [{ variant: "baseline", ips: 100 * shard }, { variant: "sink", ips: null }],
  })),
};

Deno.test("a complete result and a merged one fill every listed table", () => {
  const empty = (run: Result) =>
    TABLE_NAMES.filter((name) => tablesNamed(name, run).length === 0 && !COVERED.includes(name));
  assert.deepEqual(empty(result), ["nodes", "nodeSpeeds"]);
  assert.deepEqual(empty(merged), ["times"]);
});

Deno.test("a merged run has no column of speeds beside each other", () => {
  const columns = (run: Result) => tablesNamed("speed", run)[0]!.columns.map(({ name }) => name);
  assert.deepEqual(columns(result).filter((name) => !columns(merged).includes(name)), ["images/s"]);
});

for (const [name, run] of [["whole", result], ["eventful", eventful()], ["merged", merged]] as const) {
  Deno.test(`tables of a result have the same cells in all four renderings: ${name}`, () => {
    for (const spec of tablesOf(run)) checkRenderings(spec);
  });
}

Deno.test("tables of the commands have the same cells in all four renderings", () => {
  const now = { ...result, variants: result.variants.map((variant) => ({ ...variant, losses: [1, 2] })) };
  const gates = ["ips.baseline>=900", "verdict.*==faster", "setup.baseline<2s"].map(parseGate);
  const kept: RunSummary = {
    id: "1m81s9j4r7py",
    started: 0,
    ended: 1000,
    status: "interrupted",
    message: null,
    scenario: "lenet",
    script: null,
    args: [],
    cwd: "/",
    seed: 1,
    baseline: "baseline",
    variants: 3,
    failed: 1,
    resumed: 0,
    ips: 140.25,
    unit: "images/s",
    best: "sink",
    bestSpeedup: 1.08,
    adapter: null,
    driver: null,
    deno: "2.9.6",
    tacho: "0.1.0",
    git: "0f",
  };
  const point = { run: kept, variant: "baseline", unit: "images/s" };
  const tables: readonly AnyTable[] = [
    gatesTable(evaluateGates(gates, result, new Map())),
    agreementTable(agreementOf(result, now)),
    verificationTable(verifyLosses(result, now)),
    dryRunWorkTable(dryRun),
    dryRunMemoryTable(dryRun),
    runsTable("Runs", [kept, { ...kept, ips: null, best: null, failed: 0 }]),
    historyTable("ips.baseline", "lenet", [
      { ...point, value: 140.25, low: 139, high: 141 },
      { ...point, value: null, low: null, high: null },
    ]),
    overviewTable("a", [
      { now: "b", variants: compareRuns(result, now, ["ips", "memory.peak", "verdict"]) },
      { now: "c", variants: compareRuns(result, result, ["ips", "batchCost"]) },
    ]),
    listTable([
      { id: "1", run: kept, problem: null, hasResult: true, rounds: 0, verdicts: { same: 1, faster: 2 } },
      { id: "2", run: { ...kept, status: "running" }, problem: null, hasResult: false, rounds: 2, verdicts: {} },
      { id: "3", run: null, problem: "its row is damaged", hasResult: true, rounds: 0, verdicts: {} },
    ]),
    comparisonTable(["a", "b"], compareRuns(result, now, ["ips", "batchCost", "memory.peak", "verdict"])),
    baselinesTable([{ scenario: "lenet", run: kept.id, started: 0, adapter: null }]),
  ];
  for (const table of tables) {
    assert(table.rows.length > 0, table.title);
    checkRenderings(table);
  }
});

Deno.test("the page's sections keep the text of the cells", () => {
  const { overview } = splitResult(result, null);
  const [variant] = result.variants;
  const context: VariantContext = {
    overview,
    variant: variant!,
    index: 0,
    anchors: new Anchors(),
    shared: new Anchors(),
  };
  const specs = new Map(
    [
      ...Object.values(RESULT_TABLES).flatMap((make) => [...make(merged), ...make(result)]),
      ...Object.values(VARIANT_TABLES).flatMap((make) => make(variant!, result)),
    ].filter(({ rows }) => rows.length > 0).map((spec) => [spec.title, spec]),
  );
  specs.set("Speed", pageSpeedTable(overview));
  const nodes = RUN_SECTIONS.find(({ anchor }) => anchor === "nodes")!;
  const found = withDocument(() =>
    [
      ...[matrixSection, seedsSection, frontSection, effectsSection, ladderSection].map((make) => make(overview)),
      tablesOfSection(nodes, splitResult(merged, null).overview).flatMap((spec) => tableContent(spec)),
      ...[opsSection, typesSection, kernelsSection, hostSection, cpuSection, rangesSection].map((make) =>
        make(context)
      ),
    ].flatMap((content) => nodesOf(content).filter((child) => typeof child === "object" && child !== null)
      .map(standIn).filter((element) => element.getAttribute("class")?.split(" ").includes("table"))
    )
  );
  assert.equal(found.length, 15);
  for (const table of found) checkHtml(table, specs.get(table.all("caption")[0]!.textContent)!);
});
