import type { Comparison, Estimate, Finding, Result, Seeds, VariantResult } from "../../../runtime/result/schema.ts";
import { resultSchema } from "../../../runtime/result/schema.ts";
import type { Timeline } from "../../../runtime/record/timeline.ts";
import { peaksOf } from "../../support/peaks.ts";
import { syntheticTimeline } from "../../support/synthetic_timeline.ts";
import { bottleneck, comparison as judgedComparison, effects, ladder, procedure } from "../judged_fixture.ts";
import { op, profile, profiled } from "../profile_fixture.ts";
import { failed, metric, result, speedup } from "../result_fixture.ts";

type Some<T> = { [K in keyof T]?: T[K] };

const comparison = (value: number, low: number | null, high: number | null, reason: string): Comparison =>
  judgedComparison(value, low, high, { reason });

const findings: readonly Finding[] = [
  {
    kind: "more-workers",
    severity: "warning",
    message: "The loop waits for batches in 31 % of the batch cost, and the host queue is often empty",
    evidence: [
      { label: "host queue empty", value: "62 % of the steps", where: "queues" },
      { label: "reader cost", value: "0.50 ms", where: "steps" },
      { label: "features.conv1", value: "2.00 ms", where: "op:features.conv1" },
      { label: "a place that no report has", value: "1", where: "nowhere" },
    ],
    changes: [{ path: "loader.numWorkers", from: 0, to: 2 }],
    predicted: { gain: 1.31, reasoning: "the reader cost overlaps the device: 1 / (1 - 0.31 * 0.76)" },
  },
  {
    kind: "memory-bound",
    severity: "info",
    message: "Half of the device time is bound by memory",
    evidence: [{ label: "of the roof", value: "71 %", where: "roofline" }],
    changes: [],
    predicted: null,
  },
];

/** A block of steps whose times all differ, so that no two charts show the same. */
function blocks(speed: number, position: number): VariantResult["blocks"] {
  return Array.from({ length: 8 }, (_, round) => ({
    round,
    position,
    samples: 320,
    wall: 2286 / speed * (1 + 0.01 * Math.sin(round + position)),
    steps: Array.from({ length: 10 }, (_, i) => ({
      index: 3 + round * 10 + i,
      batchCost: 220 / speed + Math.sin(i + round),
      readerCost: 0.4 + 0.1 * i,
      stepTime: null,
      iterationGap: i === 0 ? null : 2 + 0.1 * i,
      forward: 70 / speed,
      backward: 140 / speed + (round === 5 && i === 4 ? 160 : 0),
      update: 4 + 0.01 * i,
      loss: 2.3 / (1 + 0.02 * (round * 10 + i)),
    })),
  }));
}

const losses = (shift: number) => Array.from({ length: 83 }, (_, i) => 2.3 / (1 + 0.02 * i) + shift * Math.sin(i));

function measured(name: string, speed: number, place: number, fields: Some<VariantResult> = {}): VariantResult {
  const { metrics } = profiled(name);
  const depths = Array.from({ length: 80 }, (_, i) => i % 4);
  return profiled(name, {
    blocks: blocks(speed, place),
    losses: losses(place * 0.004),
    finalLoss: { step: 82, value: 0.8712 + place * 0.001 },
    queues: place === 0 ? {} : { host: depths },
    metrics: {
      ...metrics,
      ips: metric(140 * speed, "images/s", { min: 137 * speed, max: 143 * speed }),
      speedup: speedup(speed),
      setup: metric(412),
      firstStep: metric(1301),
    },
    stepTimes: { median: 221, p95: 236, p99: 371, max: 380, steps: 80 },
    outliers: { mild: 1, severe: 0, blocks: 8 },
    bottleneck,
    quality: place === 0 ? null : {
      step: 82,
      loss: 0.8712,
      baselineLoss: 0.8709,
      difference: 0.0031,
      tolerance: 0.05,
      first: { difference: 0.0002, tolerance: 0.001 },
      kept: true,
    },
    ...fields,
  });
}

/** Three trainings, whose losses are `above` the first variant's. */
function seeds(above: number, lossDifference: Estimate | null): Seeds {
  const runs = [0.87, 0.9, 0.85].map((loss, i) => ({ seed: 1 + i, loss: loss + above, accuracy: 0.6 + i / 100 }));
  return {
    ...{ steps: 60, window: 10, runs, lossDifference },
    loss: { value: 0.873 + above, low: 0.81, high: 0.94 },
    accuracy: { value: 0.61, low: 0.58, high: 0.64 },
    accuracyDifference: lossDifference && { value: 0, low: 0, high: 0 },
  };
}

/** Two ranks on two hosts, of which the second is slow. */
function ranks(): NonNullable<VariantResult["ranks"]> {
  const rank = (rank: number, wait: number, readerCost: number) => ({
    ...{ rank, host: `node${rank}.cluster.example`, adapter: "NVIDIA H100 80GB", device: `0${rank}:00.0`, steps: 80 },
    ...{ batchCost: 220, readerCost, iterationGap: 3, forward: 70, backward: 120, update: 2 },
    allReduce: { copyOut: 4.5, wait, network: 7.25, copyIn: 1.25, hidden: 11.5 },
  });
  return {
    ...{ size: 2, efficiency: 0.64, notHidden: 0.39, imbalance: 0.06 },
    straggler: { rank: 1, cause: "data", excess: 18 },
    network: { latency: 0.05, bandwidth: 1.2e6, overhead: 0.02 },
    buckets: [{ bytes: 2 ** 22, parameters: 20, calls: 80, total: 320 }, {
      bytes: 9e5,
      parameters: 4,
      calls: 80,
      total: 90,
    }],
    ranks: [rank(0, 18.5, 0.5), rank(1, 0.5, 18.5)],
  };
}

/** A result in which every part that a result can have is filled. */
export function fullResult(): Result {
  const made = result([
    measured("baseline", 1, 0, {
      seeds: seeds(0, null),
      findings: [...findings],
      lossScale: {
        changes: [{ step: 0, scale: 65_536 }, { step: 2, scale: 32_768 }, { step: 60, scale: 65_536 }],
        skipped: [1],
      },
    }),
    measured("workers", 1.28, 1, {
      seeds: seeds(0.01, { value: 0.01, low: -0.002, high: 0.022 }),
      verdict: "faster",
      comparison: comparison(1.28, 1.24, 1.32, "the interval lies above the band and p is 0.023"),
      ranks: ranks(),
    }),
    measured("sink", 1.005, 2, {
      verdict: "same",
      comparison: comparison(1.005, 0.992, 1.017, "the interval lies inside the band"),
    }),
    measured("amp", 0.87, 3, {
      verdict: "slower",
      comparison: comparison(0.87, 0.84, 0.91, "the interval lies below the band and p is 0.023"),
    }),
    failed("f16", `The adapter "llvmpipe" has no shader-f16; run without amp, or choose another adapter`, 3),
  ], {
    noiseFloor: 0.004,
    procedure,
    ladder,
    front: {
      objectives: ["speed", "memory"],
      variants: [
        { name: "baseline", status: "front", dominatedBy: null, best: ["memory"] },
        { name: "workers", status: "open", dominatedBy: null, best: ["speed"] },
        { name: "amp", status: "dominated", dominatedBy: "workers", best: [] },
      ],
    },
    effects,
    roofline: {
      peaks: peaksOf(64e9, 5e9, 90e9),
      steps: [{
        variant: "baseline",
        time: 8,
        intensity: 14,
        bound: "compute",
        attainable: 64e9,
        attainableTime: 4.2,
        share: 0.53,
        opShare: 0.71,
      }],
    },
  });
  return resultSchema.parse(made);
}

/** Timelines recorded with {@linkcode fullResult}. */
export function timelines(): Timeline[] {
  const timeline = syntheticTimeline({ steps: 5, ops: 40, workers: 2 });
  return [timeline, { ...timeline, variant: "workers" }];
}

/** A result of many variants, each with many ops. */
export function largeResult(variants: number, ops: number): Result {
  const many = Array.from(
    { length: ops },
    (_, i) =>
      op(`stage${i % 10}.block${i % 37}.op${i}`, `type${i % 23}`, 0.01 + (i % 17) * 0.02, {
        layer: `stage${i % 10}.block${i % 37}.op${i}`,
        phase: i % 3 === 0 ? "forward" : "backward",
        flops: 1e6 * (1 + i % 50),
        bytes: 1e5 * (1 + i % 7),
        share: 1 / ops,
      }),
  );
  const memory = many.map(({ id }, i) => ({ ...profile.memory[0]!, op: id, activations: i * 1000 }));
  const made = Array.from({ length: variants }, (_, i) =>
    measured(`variant-${i}`, 1 + i / 100, i, {
      ops: many,
      profile: { ...profile, memory },
      comparison: i === 0 ? null : comparison(1 + i / 100, 0.98 + i / 100, 1.02 + i / 100, "made up"),
    }));
  return { ...fullResult(), baseline: "variant-0", variants: made };
}
