import assert from "node:assert/strict";
import { linear, relu, sequential } from "../../../mod.ts";
import { countsPerStep, kernelDifferences, kernelsDigest } from "../../../runtime/analysis/exact_counts.ts";
import { evaluateGates } from "../../../runtime/analysis/gates/evaluate_gates.ts";
import { parseGate } from "../../../runtime/analysis/gates/parse_gate.ts";
import { plannedResult } from "../../../runtime/analysis/gates/planned_result.ts";
import { dryRun } from "../../../runtime/experiment/run_experiment.ts";
import type { ExactCounts, Result } from "../../../runtime/result/schema.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import fc from "../../packages/fast_check.ts";
import { runScenario, tiny } from "../../experiment/running.ts";
import { result, variant } from "../../report/result_fixture.ts";

const KERNELS = [
  { name: "matmul", hash: "0123456789ab", dispatches: 3 },
  { name: "relu", hash: "ba9876543210", dispatches: 1 },
];

/** Counters of 80 steps. */
const COUNTERS = {
  submits: 84,
  waits: 80,
  readbacks: 4,
  readbackBytes: 1280,
  uploads: 160,
  uploadBytes: 125_870_080,
  copies: 8,
  copyBytes: 1280,
  newBuffers: 4,
};

const PLAN = {
  ...{ dispatches: 4, pipelines: 2, buffers: 9, flops: 1e9 + 1, bytes: 5e6 + 1, peakBytes: 70_001 },
  kernels: KERNELS,
};

/** A run whose speed is random and whose counts are given. */
function counted(exact: ExactCounts, wall = 1): Result {
  const one = variant("a", { exact });
  return result([{ ...one, blocks: one.blocks.map((block) => ({ ...block, wall: block.wall * wall })) }]);
}

function state(text: string, now: Result, then: Result): string {
  return evaluateGates([parseGate(text)], now, new Map([["last", { id: "k1", result: then }]]))[0]!.state;
}

const NAMES = [...Object.keys(PLAN), ...Object.keys(COUNTERS)] as (keyof ExactCounts)[];
const EQUAL = NAMES.map((name) => `exact.${name}.a==@last`);

Deno.test("a planted change of any count fails its gate alone, 100 of 100 times, and unchanged counts pass", () => {
  const then = counted({ ...PLAN, ...countsPerStep(COUNTERS, 80) });
  const change = fc.record({ name: fc.constantFrom(...NAMES), by: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(change, fc.double({ min: 0.1, max: 100, noNaN: true }), ({ name, by }, load) => {
      const same = counted({ ...PLAN, ...countsPerStep(COUNTERS, 80) }, load);
      assert.deepEqual(EQUAL.filter((gate) => state(gate, same, then) !== "pass"), []);
      const counters = name in COUNTERS ? { ...COUNTERS, [name]: COUNTERS[name as "waits"] + by } : COUNTERS;
      const plan = name === "kernels"
        ? { ...PLAN, kernels: [KERNELS[0]!, { ...KERNELS[1]!, dispatches: 1 + by }] }
        : name in PLAN
        ? { ...PLAN, [name]: PLAN[name as "flops"] + by }
        : PLAN;
      const now = counted({ ...plan, ...countsPerStep(counters, 80) }, load);
      assert.deepEqual(EQUAL.filter((gate) => state(gate, now, then) !== "pass"), [`exact.${name}.a==@last`]);
    }),
    { numRuns: 100, seed: 1 },
  );
});

Deno.test("splits of long sinks are no submits or waits, and counters that an arm lacks are unknown", () => {
  assert.deepEqual(
    countsPerStep({ submits: 8 + 30, waits: 8 + 30, splits: 30 }, 80),
    { ...countsPerStep({}, 0), submits: 0.1, waits: 0.1 },
  );
  const missing = counted({ ...PLAN, ...countsPerStep({}, 80) });
  assert.equal(state("exact.submits.a<=1", missing, missing), "missing");
});

Deno.test("differences of kernels are named, and their order does not count", () => {
  const [matmul, relu] = KERNELS as [typeof KERNELS[0], typeof KERNELS[0]];
  assert.equal(kernelsDigest(KERNELS), kernelsDigest([relu, matmul]));
  const gelu = { name: "gelu", hash: "aaaaaaaaaaaa", dispatches: 1 };
  assert.equal(
    kernelDifferences([{ ...matmul, dispatches: 4 }, gelu], KERNELS),
    "new: gelu (aaaaaa); gone: relu (ba9876); matmul 4 times instead of 3",
  );
  assert.equal(kernelDifferences(KERNELS, [relu, matmul]), "");
});

Deno.test("a run counts its steps, two runs count the same, and a further layer is counted", async () => {
  const options = { variants: { baseline: {}, sink: { sink: 2 } } };
  const [one, two] = [await runScenario(tiny(options)), await runScenario(tiny(options))];
  for (const [i, { exact, memory }] of one.variants.entries()) {
    assert.deepEqual(exact, two.variants[i]!.exact);
    assert(Object.values(exact!).every((value) => value !== null), JSON.stringify(exact));
    assert(exact!.uploadBytes! > 0 && memory!.peak > 0);
    assert.equal(exact!.kernels!.reduce((sum, { dispatches }) => sum + dispatches, 0), exact!.dispatches);
  }
  const [host, sink] = one.variants.map(({ exact }) => exact!);
  assert.deepEqual([host!.copies! < sink!.copies!, host!.submits! > sink!.submits!], [true, true]);
  const outcome = await dryRun(
    resolveScenario(tiny({ ...options, model: sequential(linear(8), relu(), linear(3)) }), {}),
  );
  const planned = plannedResult(outcome);
  const runs = new Map([["last", { id: "k1", result: one }]]);
  const gates = ["dispatches", "flops", "bytes", "kernels"].map((name) => parseGate(`exact.${name}.sink==@last`));
  assert.deepEqual(evaluateGates(gates, planned, runs).map((gate) => gate.state), ["fail", "fail", "fail", "fail"]);
});

Deno.test("the kernels' hash is compared with a kept run only", () => {
  assert.throws(
    () => parseGate("exact.kernels.a==7"),
    /exact\.kernels is a hash; compare it with that of a stored run/,
  );
  assert.throws(() => parseGate("exact.kernels.a<=@last"), /exact\.kernels is a hash; compare it with == or !=/);
});
