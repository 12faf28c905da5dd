import assert from "node:assert/strict";
import type { Change, Finding, Rung, VariantResult } from "../../../runtime/result/schema.ts";
import { climb, type Climber } from "../../../runtime/experiment/tune/climb.ts";
import { comparison } from "../../report/judged_fixture.ts";
import { metric, variant } from "../../report/result_fixture.ts";

function advice(path: string, to: string | number, gain: number): Finding {
  return {
    kind: path,
    severity: "info",
    message: path,
    evidence: [],
    changes: [{ path, from: null, to }],
    predicted: { gain, reasoning: "as measured" },
  };
}

/** Simulates experiments with the given gain of each setting, and advice that depends on the kept settings. */
function machine(gains: Record<string, number>, findings: (kept: readonly Change[]) => Finding[]) {
  const log: string[] = [];
  const rungs: Rung[] = [];
  let clock = 0;
  const climber: Climber = {
    start: () => Promise.resolve(variant("start", { findings: findings([]) })),
    try(kept, changes) {
      clock += 10;
      const path = changes[0]!.path;
      log.push(`try ${path}`);
      const gain = gains[path];
      const below = variant("below", { findings: findings(kept), queues: { host: [0, 0, 1, 2] } });
      if (gain === undefined) return Promise.resolve({ below: null, above: null, problem: `${path}: not here` });
      const above: VariantResult = variant("above", {
        findings: findings([...kept, ...changes]),
        metrics: { ...below.metrics, ips: metric(140 * gain, "images/s") },
        comparison: comparison(gain, gain / 1.1, gain * 1.1),
        verdict: gain > 1.1 ? "faster" : gain < 0.9 ? "slower" : "same",
      });
      return Promise.resolve({ below, above, problem: null });
    },
    predicted: ({ finding, gain }) => void log.push(`predict ${finding} ${gain}`),
    onRung: (rung) => void rungs.push(rung),
    interrupted: () => false,
    elapsed: () => clock,
  };
  return { climber, log, rungs };
}

const ALL = [advice("amp", "O2", 1.8), advice("sink", 10, 1.4), advice("loader.numWorkers", 2, 1.2)];

Deno.test("A climb tries the largest predicted gain first and keeps faster settings", async () => {
  const { climber, log, rungs } = machine({ amp: 0.5, sink: 1.5, "loader.numWorkers": 1.2 }, () => ALL);
  const { kept, total, predictionError, stoppedBy, ...rest } = await climb(climber, 600);
  assert.deepEqual(log, [
    "predict amp 1.8",
    "try amp",
    "predict sink 1.4",
    "try sink",
    "predict amp 1.8",
    "try amp",
    "predict loader.numWorkers 1.2",
    "try loader.numWorkers",
  ]);
  assert.deepEqual(rungs, rest.rungs);
  assert.deepEqual(rungs.map((rung) => [rung.name, rung.kept]), [
    ["amp=O2", false],
    ["sink=10", true],
    ["amp=O2", false], // once more, now that something else has changed
    ["loader.numWorkers=2", true],
  ]);
  assert.deepEqual(kept.map(({ path }) => path), ["sink", "loader.numWorkers"]);
  assert.equal(rungs[0]!.reason, "slower: as it is");
  assert.equal(stoppedBy, "no advice");
  assert.equal(total!.value.toFixed(6), "1.800000");
  const half = Math.hypot(Math.log(1.1), Math.log(1.1));
  assert.equal(total!.low!.toFixed(6), (1.8 * Math.exp(-half)).toFixed(6));
  // errors: amp 1.3/0.5 = 2.6 twice, sink 0.1/1.5, workers 0
  assert.equal(predictionError!.toFixed(6), ((2.6 + 0.1 / 1.5) / 2).toFixed(6));
});

Deno.test("new advice after a kept setting is tried, and kept settings are not tried again", async () => {
  const { climber, log } = machine(
    { sink: 1.5, amp: 1.2 },
    (kept) => kept.length === 0 ? [ALL[1]!] : [ALL[1]!, ALL[0]!],
  );
  const { rungs } = await climb(climber, 600);
  assert.deepEqual(log.filter((line) => line.startsWith("try")), ["try sink", "try amp"]);
  assert.equal(rungs.length, 2);
});

Deno.test("Settings that cannot run are dropped with the reason", async () => {
  const { climber } = machine({ sink: 1.5 }, () => ALL.slice(0, 2));
  const { rungs } = await climb(climber, 600);
  assert.deepEqual(rungs.map(({ reason, measured, kept }) => [reason, measured === null, kept]), [
    ["amp: not here", true, false],
    ["faster: as it is", false, true],
  ]);
});

Deno.test("No rung starts that, with the final comparison, would exceed the time", async () => {
  const { climber, log } = machine({ amp: 1.5, sink: 1.5, "loader.numWorkers": 1.5 }, () => ALL);
  const { stoppedBy, rungs } = await climb(climber, 35);
  assert.equal(stoppedBy, "time");
  assert.equal(rungs.length, 2);
  assert.equal(log.at(-1), "try sink");
});

Deno.test("Advice without a setting or gain, or that changes the training, is not tried", async () => {
  const { climber } = machine({}, () => [
    { ...advice("shapes", 8, 1.5), changes: [] },
    { ...advice("unknown", 8, 1.5), predicted: null },
    advice("worse", 8, 0.9),
    advice("loader.batchSize", 128, 3),
  ]);
  const { rungs, stoppedBy, total, predictionError } = await climb(climber, 600);
  assert.deepEqual([rungs, stoppedBy, total, predictionError], [[], "no advice", null, null]);
});

Deno.test("Recomputation with a larger batch is tried where a step keeps its samples", async () => {
  const withBatch = (accumulate: number): Finding => ({
    ...advice("recompute", "blocks", 1.4),
    changes: [
      { path: "recompute", from: "none", to: "blocks" },
      { path: "loader.batchSize", from: 8, to: 16 },
      { path: "accumulate", from: 4, to: accumulate },
    ],
  });
  for (const [accumulate, tried] of [[2, 1], [4, 0]] as const) {
    const { climber, log } = machine({ recompute: 1.3 }, (kept) => kept.length > 0 ? [] : [withBatch(accumulate)]);
    const { kept } = await climb(climber, 600);
    assert.equal(log.filter((line) => line === "try recompute").length, tried);
    assert.equal(kept.length, 3 * tried);
  }
});

Deno.test("An interrupted climb keeps its rungs", async () => {
  const made = machine({ amp: 1.5, sink: 1.5 }, () => ALL);
  const { rungs, stoppedBy } = await climb({ ...made.climber, interrupted: () => made.rungs.length > 0 }, 600);
  assert.equal(stoppedBy, "interrupted");
  assert.equal(rungs.length, 1);
});

Deno.test("A rung shows the queue and the bottleneck below and above", async () => {
  const { climber } = machine({ sink: 1.5 }, () => [ALL[1]!]);
  const { rungs } = await climb(climber, 600);
  assert.equal(rungs[0]!.before.emptyQueue, 0.5);
  assert.equal(rungs[0]!.after!.emptyQueue, null); // no queue was seen
  assert.equal(rungs[0]!.after!.ips!.value, 210);
});
