import assert from "node:assert/strict";
import { evaluateGates, type GateOutcome, type StoredRun } from "../../../runtime/analysis/gates/evaluate_gates.ts";
import { parseGate } from "../../../runtime/analysis/gates/parse_gate.ts";
import type { Block, Result, VariantResult } from "../../../runtime/result/schema.ts";
import { comparison } from "../../report/judged_fixture.ts";
import { failed, metric, noMetrics, result, speedup as asSpeedup, variant } from "../../report/result_fixture.ts";

/** A step of 10 ms and what it is made of. */
function step(batchCost: number, iterationGap: number): Block["steps"][number] {
  const [forward, backward, update] = [3, 5, 1];
  return { index: 0, batchCost, readerCost: 0, stepTime: null, iterationGap, forward, backward, update, loss: null };
}

/** A variant whose blocks took `walls` ms for 100 samples and one step each. */
function timed(name: string, walls: readonly number[], fields: Partial<VariantResult> = {}): VariantResult {
  const mean = walls.reduce((sum, wall) => sum + wall, 0) / walls.length;
  return variant(name, {
    blocks: walls.map((wall, round) => ({ round, position: 0, samples: 100, wall, steps: [step(wall, round % 2)] })),
    metrics: {
      ...noMetrics,
      ips: metric(100_000 / mean, "images/s"),
      batchCost: metric(mean),
      iterationGap: metric(0.5),
      deviceBusy: metric(0.9, "ratio"),
      speedup: asSpeedup(1.25),
      setup: metric(400),
    },
    ...fields,
  });
}

const STEADY = [100, 101, 99, 100.5, 99.5];
const NOISY = [80, 120, 95, 130, 75];

function gate(text: string, found: Result, stored: Result | null = null): GateOutcome {
  const runs = new Map<string, StoredRun>(stored === null ? [] : [["last", { id: "k3f2", result: stored }]]);
  const outcomes = evaluateGates([parseGate(text)], found, runs);
  assert.equal(outcomes.length, 1);
  return outcomes[0]!;
}

function states(found: Result, stored: Result | null, gates: Readonly<Record<string, string>>): void {
  for (const [text, state] of Object.entries(gates)) {
    const outcome = gate(text, found, stored);
    assert.equal(outcome.state, state, `${text}: ${outcome.why}`);
  }
}

Deno.test("a gate passes if the whole interval meets it, and fails if none of it does", () => {
  states(result([timed("a", STEADY), timed("b", NOISY)]), null, {
    "batchCost.a<=105": "pass",
    "batchCost.a<=0.105s": "pass",
    "batchCost.a<=95": "fail",
    "batchCost.a<100": "undecided",
    "batchCost.b<=105": "undecided",
    "batchCost.b<=200": "pass",
    "ips.a>=950images/s": "pass",
    "ips.a>1050": "fail",
    "deviceBusy.a>=5%": "pass",
    "iterationGap.a<=10ms": "pass",
  });
});

Deno.test("an undecided gate estimates how many rounds would decide it", () => {
  const { why } = gate("batchCost.b<=105", result([timed("b", NOISY)]));
  const rounds = Number(why.match(/needs more rounds, about (\d+)$/)?.[1]);
  assert(rounds > NOISY.length && rounds < 1000, why);
  assert.match(gate("batchCost.b<=95", result([timed("b", NOISY)])).why, /its estimate is on the wrong side/);
});

Deno.test("a single block has no interval and decides nothing", () => {
  const { state, why } = gate("batchCost.a<=200", result([timed("a", [100])]));
  assert.equal(state, "undecided");
  assert.equal(why, "1 round has no interval; run more rounds");
});

Deno.test("speed-ups are judged by the comparison's interval if there is one", () => {
  const judged = comparison(1.2, 1.15, 1.25);
  const [a, b] = [timed("a", STEADY), timed("b", NOISY, { comparison: judged, verdict: "faster" })];
  states(result([a, b]), null, {
    "speedup.b>=1.1": "pass",
    "speedup.b>=1.2": "undecided",
    "speedup.b>=1.3": "fail",
    "speedup.b>=115%": "pass",
    "speedup.a>=1": "pass",
  });
  const few = { ...judged, speedup: { value: 1.2, low: null, high: null } };
  assert.equal(gate("speedup.b>=1", result([a, timed("b", NOISY, { comparison: few })])).state, "undecided");
});

Deno.test("figures without an interval decide by value", () => {
  const found = result([timed("a", STEADY, { finalLoss: { step: 9, value: 1.5 }, losses: Array(10).fill(1.5) })]);
  states(found, null, {
    "memory.peak.a<=312MiB": "pass",
    "memory.peak.a<312MiB": "fail",
    "memory.parameters.a==1MiB": "pass",
    "setup.a<1s": "pass",
    "finalLoss.a<=1.5": "pass",
    "finalLoss.a!=1.5": "fail",
    "parameters.a==272474": "pass",
    "counts.submits.a<=30": "pass",
    "bound.a==device": "pass",
    "status.a!=failed": "pass",
  });
});

Deno.test("an unclear verdict decides nothing", () => {
  const judged = (verdict: VariantResult["verdict"]) => result([timed("a", STEADY), timed("b", STEADY, { verdict })]);
  states(judged("same"), null, {
    "verdict.b==faster": "fail",
    "verdict.b==faster|same": "pass",
    "verdict.b!=slower": "pass",
    "verdict.b!=same": "fail",
  });
  states(judged("unclear"), null, { "verdict.b==faster": "undecided", "verdict.b!=slower": "pass" });
  assert.equal(gate("verdict.a==faster", judged("same")).why, "the baseline has no verdict");
});

Deno.test("a gate on a metric that was not measured is not met", () => {
  const found = result([timed("a", STEADY), failed("amp", "The adapter has no shader-f16", 3)]);
  states(found, null, { "accuracy.a>=0": "missing", "overflows.a<=1": "missing", "ips.a>=1tokens/s": "missing" });
  assert.match(gate("ips.a>=1tokens/s", found).why, /measured in images\/s, not in tokens\/s/);
  const { state, why } = gate("ips.amp>=0", found);
  assert.deepEqual([state, why], ["fail", "the variant failed: The adapter has no shader-f16"]);
  assert.equal(gate("status.amp==failed", found).state, "pass");
});

Deno.test("a diverged loss meets no limit", () => {
  const found = result([timed("a", STEADY, { finalLoss: { step: 9, value: "NaN" } })]);
  states(found, null, { "finalLoss.a<=10": "fail", "finalLoss.a>=0": "fail" });
});

Deno.test("the interval against a stored run uses the blocks of both", () => {
  const [now, before] = [result([timed("a", STEADY)]), result([timed("a", STEADY.map((wall) => wall * 0.9))])];
  states(now, before, {
    "batchCost.a<=+15%@last": "pass",
    "batchCost.a<=+5%@last": "fail",
    "batchCost.a<=+11%@last": "undecided",
    "batchCost.a<=120%@last": "pass",
    "batchCost.a<=+15ms@last": "pass",
    "batchCost.a<=+5ms@last": "fail",
    "ips.a>=-15%@last": "pass",
    "ips.a>=@last": "fail",
    "iterationGap.a<=+5ms@last": "pass",
    "iterationGap.a<=+5%@last": "undecided",
    "memory.peak.a<=@last": "pass",
    "memory.peak.a<=-1MiB@last": "fail",
    "memory.peak.a==@last": "pass",
  });
  const { compared, reference } = gate("batchCost.a<=+15%@last", now, before);
  assert(Math.abs(compared!.value - 1 / 0.9) < 1e-9);
  assert.equal(compared!.sample, 5);
  assert.equal(reference!.run, "k3f2");
});

Deno.test("equal blocks pass any relative gate with room for their spread", () => {
  const found = result([timed("a", NOISY)]);
  states(found, found, { "batchCost.a<=+100%@last": "pass", "batchCost.a<=+1%@last": "undecided" });
});

Deno.test("final losses are compared at the last step that both runs have", () => {
  const losses = [3, 2, 1, 0.5];
  const long = result([timed("a", STEADY, { finalLoss: { step: 3, value: 0.5 }, losses })]);
  const short = result([timed("a", STEADY, { finalLoss: { step: 1, value: 2 }, losses: losses.slice(0, 2) })]);
  const outcome = gate("finalLoss.a==@last", long, short);
  assert.equal(outcome.state, "pass");
  assert.equal(outcome.why, "losses of both runs at step 1");
  assert.equal(gate("finalLoss.a<=-1%@last", long, short).state, "fail");
  // The ratio of these neighbours rounds to 1
  const [a, b] = [2 - 2 ** -52, 2 - 2 ** -51]
    .map((value) => result([timed("a", STEADY, { finalLoss: { step: 1, value } })]));
  assert.equal(gate("finalLoss.a==@last", a!, b!).state, "fail");
});

Deno.test("a gate over all variants has an outcome for each, except the baseline's own speed-up", () => {
  const found = result([timed("a", STEADY), timed("b", STEADY), timed("c", STEADY)]);
  const names = (text: string) => evaluateGates([parseGate(text)], found, new Map()).map(({ variant }) => variant);
  assert.deepEqual(names("ips.*>=1"), ["a", "b", "c"]);
  assert.deepEqual(names("speedup.*>=1"), ["b", "c"]);
  assert.deepEqual(names("verdict.*!=slower"), ["b", "c"]);
});
