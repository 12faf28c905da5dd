import assert from "node:assert/strict";
import { evaluateGates } from "../../runtime/analysis/gates/evaluate_gates.ts";
import { parseGate } from "../../runtime/analysis/gates/parse_gate.ts";
import { type GatesOptions, renderGates } from "../../runtime/report/gates.ts";
import { failed, metric, noMetrics, result, variant } from "./result_fixture.ts";

function timed(name: string, walls: readonly number[]) {
  return variant(name, {
    blocks: walls.map((wall, round) => ({ round, position: 0, samples: 100, wall, steps: [] })),
    metrics: { ...noMetrics, ips: metric(1000, "images/s"), setup: metric(1234) },
    verdict: "same",
  });
}

const measured = result([timed("baseline", [100, 101, 99]), timed("sink", [99, 102, 100]), failed("amp", "no f16", 3)]);

function table(
  gates: readonly string[],
  undecided: "pass" | "fail" = "fail",
  elsewhere: GatesOptions["elsewhere"] = [],
  columns: number | null = null,
): string {
  const runs = new Map([["last", { id: "k3f2", result: measured }]]);
  const outcomes = evaluateGates(gates.map(parseGate), measured, runs);
  return renderGates(outcomes, { columns, color: false, undecided, elsewhere });
}

Deno.test("gates are listed with the measured value, its interval, the limit and the reason", () => {
  const gates = [
    "ips.baseline>=900",
    "ips.sink>=1000",
    "ips.baseline>=+10%@last",
    "memory.peak.sink<=300MiB",
    "verdict.sink==faster",
    "setup.baseline<2s",
    "accuracy.sink>=60%",
    "ips.amp>=1",
  ];
  assert.equal(
    table(gates),
    `\
8 gates: 6 not met (1 undecided, which is not met)
gate                      measured, 95 % interval    wanted            result
────────────────────────────────────────────────────────────────────────────────
ips.baseline>=900         1000 [975, 1025] images/s  >= 900 images/s   holds
ips.sink>=1000            1000 [960, 1035] images/s  >= 1000 images/s  undecided
    the interval includes the limit: needs more rounds
ips.baseline>=+10%@last   ×1.000 [0.978, 1.023]      >= ×1.100         FAILS
    1000 images/s now, 1000 images/s in k3f2; the whole interval is on the wrong side
memory.peak.sink<=300MiB  312 MiB (single)           <= 300 MiB        FAILS
verdict.sink==faster      same                       == faster         FAILS
setup.baseline<2s         1234 ms (single)           < 2000 ms         holds
accuracy.sink>=60%        –                          >= 60 %           no figure
    not measured
ips.amp>=1                –                          >= 1.00           FAILS
    the variant failed: no f16
single: one figure without an interval, compared as is
`,
  );
});

Deno.test("the summary counts unmet and undecided gates", () => {
  const first = (text: string) => text.split("\n")[0];
  assert.equal(first(table(["ips.sink>=1"])), "1 gate: met");
  assert.equal(first(table(["ips.sink>=1000"])), "1 gate: 1 not met (1 undecided, which is not met)");
  assert.equal(first(table(["ips.sink>=1000"], "pass")), "1 gate: met (1 undecided, which counts as met)");
  assert.equal(first(table(["ips.*>=1000"], "pass")), "3 gates: 1 not met (2 undecided, which counts as met)");
});

Deno.test("a gate over all variants names them", () => {
  const lines = table(["ips.*>=900"]).split("\n");
  assert.match(lines[1]!, /^gate {8}variant {3}measured/);
  assert.deepEqual(lines.slice(3, 6).map((line) => line.split(/ {2,}/)[1]), ["baseline", "sink", "amp"]);
});

Deno.test("no line is wider than the terminal, and a column that does not fit is named", () => {
  const gates = ["ips.baseline>=+10.5%@last", "ips.*>=900images/s", "ips.sink>=1000"];
  for (const columns of [60, 80, 120]) {
    for (const line of table(gates, "fail", [], columns).split("\n")) assert(line.length <= columns, line);
  }
  assert.match(table(gates, "fail", [], 60), /^left out to fit 60 columns: wanted$/m);
});

Deno.test("a note lists the main differences in conditions from the compared run", () => {
  const differences = ["adapter", "driver", "Deno", "cores", "git commit", "V8"].map((what) => ({
    what,
    then: "1",
    now: null,
  }));
  const lines = table(["ips.sink>=-5%@last"], "fail", [{ run: "k3f2", differences }, { run: "b", differences: [] }]);
  assert.match(
    lines.replaceAll(/\n +/g, " "),
    /k3f2 ran under different conditions: adapter 1 there, – here; driver [^;]+; Deno [^;]+; cores [^;]+; 2 more\n$/,
  );
});

Deno.test("a figure whose interval has another source is not called single", () => {
  const time = { value: 150, low: 100, high: 200 };
  const target = { metric: "loss", threshold: 0.5, seeds: [], time } as const;
  const outcomes = evaluateGates(
    [parseGate("target.time.baseline<=10s")],
    result([{ ...timed("baseline", [100]), target: { ...target, seeds: [] } }]),
    new Map(),
  );
  const text = renderGates(outcomes, { columns: null, color: false, undecided: "fail", elsewhere: [] });
  assert.match(text, /150 \[100, 200\] ms .* holds\n$/);
});
