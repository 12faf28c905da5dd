/** Synthetic runs for the store. */
import { deepStrictEqual } from "node:assert/strict";
import type { Block, Environment, Result } from "../../runtime/result/schema.ts";
import type { KeptRound } from "../../runtime/store/run_recorder.ts";
import { sha256 } from "../../runtime/core/sha256.ts";
import type { RunSpec } from "../../runtime/store/run_spec.ts";
import type { RunStart } from "../../runtime/store/records.ts";
import type { Store } from "../../runtime/store/store.ts";
import { metric, noMetrics, result, variant } from "../report/result_fixture.ts";

const SCRIPT = "export default 1;\n";

export const environment: Environment = { ...result([]).environment, adapter: null };

export function spec(fields: Partial<RunSpec> = {}): RunSpec {
  const config = { loader: { batchSize: 32, numWorkers: 0 }, sink: 0 };
  return {
    tacho: "0.1.0",
    scenario: "synthetic",
    sha256: sha256(SCRIPT),
    seed: 1,
    baseline: "baseline",
    variants: [{ name: "baseline", config }, { name: "sink", config: { ...config, sink: 10 } }],
    ...fields,
  };
}

export function start(fields: Partial<RunStart> = {}): RunStart {
  return {
    spec: spec(),
    script: "/home/someone/synthetic.ts",
    modules: [{ path: "synthetic.ts", sha256: sha256(SCRIPT), text: SCRIPT, imports: {}, names: [] }],
    args: ["--rounds", "3"],
    cwd: "/home/someone",
    environment,
    ...fields,
  };
}

export function block(round: number, wall = 100): Block {
  return { round, position: 0, samples: 32, wall, steps: [] };
}

export function round(round: number): KeptRound {
  const host = { runtimeWait: 0, counts: { submits: 1 }, letData: [0.1], hostQueue: [2], deviceQueue: [null] };
  const blocks = ["baseline", "sink"].map((arm, i) => ({ arm, block: block(round, 100 + round + i), host }));
  return { round, order: ["baseline", "sink"], blocks, probe: 1.5 };
}

/** Returns a complete result that its throughput identifies. */
export function outcome(ips: number, rounds = 3): Result {
  const blocks = Array.from({ length: rounds }, (_, i) => block(i, 32_000 / (ips + i - (rounds - 1) / 2)));
  const metrics = { ...noMetrics, ips: metric(ips, "images/s", { min: ips - 1, max: ips + 1 }) };
  return result([variant("baseline", { metrics, blocks }), variant("sink", { metrics, blocks })], {
    scenario: {
      name: "synthetic",
      file: "synthetic.ts",
      sha256: sha256(SCRIPT),
      seed: 1,
      params: {},
      adapted: null,
    },
  });
}

/** Begins a run, keeps its rounds and its result, and returns its ID. */
export function keepWhole(store: Store, ips = 100, fields: Partial<RunStart> = {}, onBegun = () => {}): string {
  const run = store.begin(start(fields));
  onBegun();
  for (let i = 0; i < 3; i++) {
    run.recorder.keepLosses("baseline", 4 * i, [4, 3, 2, 1]);
    run.recorder.keepRound(round(i));
  }
  run.finish(outcome(ips));
  return run.id;
}

/** Asserts that every run is readable and every complete run has its whole result. */
export function checkWhole(store: Store): void {
  for (const { id, status } of store.find()) {
    const record = store.run(id);
    deepStrictEqual(record.modules.map(({ text }) => text), [SCRIPT]);
    const kept = store.result(id);
    if (status !== "complete") continue;
    deepStrictEqual(kept?.variants.map(({ blocks }) => blocks.length), [3, 3]);
  }
}
