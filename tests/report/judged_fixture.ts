import type {
  Block,
  Bottleneck,
  Comparison,
  Effect,
  Finding,
  Ladder,
  Procedure,
  Result,
  Rung,
  Target,
  VariantResult,
} from "../../runtime/result/schema.ts";
import { metric, result, speedup, variant } from "./result_fixture.ts";

type Some<T> = { [K in keyof T]?: T[K] };

/** Procedure of a run of eight rounds. */
export function comparison(value: number, low: number | null, high: number | null, fields: Some<Comparison> = {}) {
  return {
    pairs: 8,
    setups: 8,
    spread: { setups: 0.012, rounds: null },
    speedup: { value, low, high },
    level: 0.95,
    reached: 0.953,
    method: "bootstrap-t",
    companion: null,
    p: 0.0078125,
    adjustedP: 0.0234375,
    smallestP: 0.0078125,
    band: 0.02,
    reason: "as it is",
    ...fields,
  } satisfies Comparison;
}

/** Blocks of one arm, one a round. */
export function arm(position: number, walls: readonly number[]): Block[] {
  return walls.map((wall, round) => ({ round, position, samples: 160, wall, steps: [] }));
}

export const procedure: Procedure = {
  planned: 20,
  rounds: 8,
  stoppedBy: "precision",
  precision: 0.02,
  setups: { count: 8, time: 1200, share: 0.031 },
  maxTime: null,
  minEffect: 0.01,
  order: [["baseline", "sink", "baseline again", "workers", "amp"]],
  secondArm: {
    name: "baseline again",
    blocks: arm(2, [1150, 1140, 1146, 1150, 1148, 1151, 1149, 1147]),
    comparison: comparison(0.997, 0.985, 1.01, { p: 0.5, adjustedP: 0.5 }),
  },
  warnings: [{ kind: "load", message: "the load average is 3.2 on 2 cores; other work slows this run" }],
  probe: [{ round: 0, time: 4.1 }, { round: 1, time: 4.3 }],
  probeTrend: 0.048,
  warmUp: [
    { arm: "baseline", steps: 13, steady: true },
    { arm: "sink", steps: 60, steady: false },
    { arm: "workers", steps: 9, steady: true },
    { arm: "amp", steps: 9, steady: true },
  ],
  resumed: 1,
};

/** Four variants, one for each kind of verdict that needs words, and the baseline. */
export function judged(fields: Some<Result> = {}): Result {
  const base = variant("baseline", {
    blocks: arm(0, [1143, 1140, 1150, 1139, 1144, 1146, 1141, 1142]),
    stepTimes: { median: 228.1, p95: 231, p99: 236.5, max: 240, steps: 40 },
    outliers: { mild: 1, severe: 0, blocks: 8 },
  });
  const { metrics } = base;
  const against = (name: string, own: Some<VariantResult>, ips: number, walls: readonly number[]): VariantResult => ({
    ...base,
    name,
    blocks: arm(1, walls),
    outliers: { mild: 0, severe: 0, blocks: 8 },
    quality: { step: 32, loss: 1.73, baselineLoss: 1.73, difference: 0, tolerance: 0, first: null, kept: true },
    ...own,
    metrics: { ...metrics, ips: metric(ips, "images/s"), speedup: speedup(own.comparison!.speedup.value) },
  });
  return result([
    base,
    against("sink", { verdict: "faster", comparison: comparison(1.083, 1.062, 1.105), stepTimes: null }, 151.6, [
      1050,
      1060,
      1055,
      1049,
      1061,
      1052,
      1058,
      1057,
    ]),
    against("workers", { verdict: "slower", comparison: comparison(0.941, 0.93, 0.952) }, 131.7, [1215, 1210]),
    against(
      "both",
      {
        verdict: "unclear",
        comparison: comparison(1.02, 0.99, 1.05, { adjustedP: 0.25, reason: "it crosses the edge" }),
      },
      142,
      [1120],
    ),
    against(
      "amp",
      {
        verdict: "invalid",
        comparison: comparison(1.4, 1.3, 1.5, { reason: "the loss up to step 32 is 12 % off, 10 % allowed" }),
        quality: {
          step: 32,
          loss: 1.95,
          baselineLoss: 1.73,
          difference: 0.12,
          tolerance: 0.1,
          first: null,
          kept: false,
        },
      },
      196,
      [820],
    ),
  ], { procedure, noiseFloor: 0.02, ...fields });
}

export const effects: Effect[] = [
  {
    factors: [{ setting: "sink", from: "0", to: "10" }],
    ratio: { value: 1.31, low: 1.27, high: 1.35 },
    p: 0.008,
    adjustedP: 0.024,
  },
  {
    factors: [{ setting: "amp", from: "O0", to: "O2" }],
    ratio: { value: 0.9, low: 0.88, high: 0.92 },
    p: 0.008,
    adjustedP: 0.024,
  },
  {
    factors: [{ setting: "amp", from: "O0", to: "O2" }, { setting: "sink", from: "0", to: "10" }],
    ratio: { value: 1.004, low: null, high: null },
    p: 0.5,
    adjustedP: 0.5,
  },
];

export const target: Target = {
  metric: "accuracy",
  threshold: 0.6,
  seeds: [{ seed: 1, steps: 120, wall: 12_300 }, { seed: 2, steps: 140, wall: 14_100 }, {
    seed: 3,
    steps: null,
    wall: null,
  }],
  time: { value: 13_170, low: 11_000, high: 15_700 },
};

export const bottleneck: Bottleneck = {
  byRules: { bound: "device", reason: "the device is busy 97 % of the step" },
  byArms: { bound: "input", reason: "without loading a step takes 31 % less" },
  arms: [
    {
      name: "synthetic input",
      what: "the loader",
      rounds: 5,
      batchCost: 157,
      ratio: { value: 1.45, low: 1.41, high: 1.5 },
    },
    {
      name: "null kernels",
      what: "the arithmetic",
      rounds: 5,
      batchCost: 200,
      ratio: { value: 1.14, low: null, high: null },
    },
  ],
  device: { bound: "memory", compute: 0.2, memory: 0.7, launch: 0.1, reason: "most ops lie left of the ridge" },
};

export const findings: Finding[] = [
  {
    kind: "more-workers",
    severity: "warning",
    message: "The training loop waits for batches: the host queue was empty at 91 % of the steps",
    evidence: [{ label: "host queue empty", value: "91 %", where: "queues" }, {
      label: "reader cost",
      value: "72.1 of 229 ms",
      where: "step trace",
    }],
    changes: [{ path: "loader.numWorkers", from: 0, to: 2 }],
    predicted: { gain: 1.45, reasoning: "a step without the wait for batches takes 157 ms" },
  },
  {
    kind: "sink",
    severity: "info",
    message: "The device idles 13 ms between steps",
    evidence: [],
    changes: [{ path: "sink", from: 0, to: 10 }],
    predicted: { gain: 1.06, reasoning: "the iteration gap goes" },
  },
  {
    kind: "align",
    severity: "info",
    message: "Channels of conv1 are no multiple of 8",
    evidence: [{ label: "channels", value: "3", where: "op:conv1" }],
    changes: [],
    predicted: null,
  },
  {
    kind: "larger-batch",
    severity: "info",
    message: "Memory would allow a batch of 128",
    evidence: [],
    changes: [{ path: "loader.batchSize", from: 32, to: 128 }],
    predicted: { gain: 1.02, reasoning: "fewer launches" },
  },
];

const state = (ips: number, iterationGap: number, emptyQueue: number | null, bound: Rung["before"]["bound"]) => ({
  ips: metric(ips, "images/s"),
  iterationGap,
  emptyQueue,
  bound,
});

export const ladder: Ladder = {
  variant: "baseline",
  start: state(140, 13.1, 0.91, "input"),
  rungs: [
    {
      name: "workers",
      finding: "more-workers",
      changes: [{ path: "loader.numWorkers", from: 0, to: 2 }],
      predicted: { gain: 1.45, reasoning: "a step without the wait for batches takes 157 ms" },
      measured: comparison(1.38, 1.35, 1.41),
      before: state(140, 13.1, 0.91, "input"),
      after: state(193, 12.9, 0.02, "device"),
      kept: true,
      reason: "×1.35 to ×1.41 is more than 2.0 % faster",
    },
    {
      name: "amp",
      finding: "amp",
      changes: [{ path: "amp.level", from: "O0", to: "O2" }],
      predicted: { gain: 1.2, reasoning: "f16 halves the bytes" },
      measured: comparison(0.91, 0.9, 0.93),
      before: state(193, 12.9, 0.02, "device"),
      after: state(176, 12.9, 0.02, "device"),
      kept: false,
      reason: "slower than predicted",
    },
    {
      name: "fusion",
      finding: "fusion",
      changes: [{ path: "compile.fusion", from: false, to: true }],
      predicted: { gain: 1.1, reasoning: "fewer launches" },
      measured: null,
      before: state(193, 12.9, 0.02, "device"),
      after: null,
      kept: false,
      reason: "the time was up",
    },
  ],
  total: { value: 1.38, low: 1.35, high: 1.41 },
  predictionError: 0.185,
  stoppedBy: "time",
  patch: "--- a/scripts/resnet.ts\n+++ b/scripts/resnet.ts\n@@ -3 +3 @@\n-  loader: {},\n+  loader: { numWorkers: 2 },",
};
