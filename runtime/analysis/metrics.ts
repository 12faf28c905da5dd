import type { Timing } from "../record/timing.ts";
import type { Block, Bound, Metric, Metrics, StepRecord, Unit } from "../result/schema.ts";

/** What the metrics of a variant are made from. */
export interface Measured {
  readonly blocks: readonly Block[];
  /** Runtime's own sleep inside each block: milliseconds. */
  readonly runtimeWaits: readonly number[];
  /** A step's host times are its sink's divided by the steps. */
  readonly amortised: boolean;
  readonly unit: Unit;
  /** Milliseconds. */
  readonly setup: number | null;
  readonly firstStep: number | null;
  readonly accuracy: number | null;
  /** How step times were taken; the device tells a sink's steps apart. */
  readonly timing: Timing | null;
  /** Extra time of a step with phase timestamps over one without, as a part of the latter. */
  readonly profilingCost: number | null;
}

type StepKey = "batchCost" | "readerCost" | "stepTime" | "iterationGap" | "forward" | "backward" | "update";

/**
 * The metrics of a variant: each block's mean, then the mean over blocks, with the smallest and largest block as the
 * spread. The speed-up is left to {@linkcode speedups}, which needs the baseline.
 */
export function summarize(measured: Measured): Metrics {
  const { blocks, amortised } = measured;
  const perStep = (key: StepKey, onHost = false) =>
    metric(blocks.map((block) => mean(block.steps.map((step) => step[key]))), "ms", onHost && amortised);
  return {
    ips: metric(blocks.map((block) => block.wall > 0 ? block.samples / block.wall * 1000 : null), measured.unit, false),
    speedup: null,
    batchCost: perStep("batchCost", true),
    readerCost: perStep("readerCost"),
    stepTime: perStep("stepTime", measured.timing !== "event"),
    iterationGap: perStep("iterationGap"),
    forward: perStep("forward"),
    backward: perStep("backward"),
    update: perStep("update"),
    deviceBusy: metric(blocks.map((block) => busyShare(block)), "ratio", false),
    runtimeWait: metric(
      blocks.map((block, i) => block.steps.length === 0 ? null : measured.runtimeWaits[i]! / block.steps.length),
      "ms",
      amortised,
    ),
    setup: metric([measured.setup], "ms", false),
    firstStep: metric([measured.firstStep], "ms", false),
    profilingCost: metric([measured.profilingCost], "ratio", false),
    accuracy: metric([measured.accuracy], "ratio", false),
  };
}

/** Images per second of a variant over the baseline's, with the spread of the ratio over rounds. */
export function speedup(blocks: readonly Block[], baseline: readonly Block[]): Metric | null {
  const rate = (block: Block) => block.wall > 0 && block.samples > 0 ? block.samples / block.wall : null;
  const ratios = blocks.map((block) => {
    const reference = baseline.find((other) => other.round === block.round);
    const [a, b] = [rate(block), reference === undefined ? null : rate(reference)];
    return a === null || b === null ? null : a / b;
  });
  const logs = ratios.filter((ratio) => ratio !== null).map(Math.log);
  const spread = metric(ratios, "ratio", false);
  return spread === null ? null : { ...spread, value: Math.exp(mean(logs)!) };
}

/** What a step spends its time on: waiting for data, the device's work, or the host's. Null without device times. */
export function boundBy(metrics: Metrics): Bound | null {
  const { batchCost, readerCost, deviceBusy } = metrics;
  if (batchCost === null || batchCost.value <= 0) return null;
  const input = (readerCost?.value ?? 0) / batchCost.value;
  if (deviceBusy === null) return input > 0.5 ? "input" : null;
  const device = deviceBusy.value;
  // Where the two overlap, as in a sink, a busy device is not starved
  if (device >= Math.max(input, 1 - device)) return "device";
  return input >= Math.max(0, 1 - device - input) ? "input" : "host";
}

/** Phase time of a block / its wall time; null unless every phase of every step was timed. */
function busyShare(block: Block): number | null {
  const busy = (step: StepRecord) => {
    const phases = [step.forward, step.backward, step.update].filter((time) => time !== null);
    return phases.length === 0 ? null : phases.reduce((sum, time) => sum + time, 0);
  };
  const times = block.steps.map(busy);
  if (block.wall <= 0 || times.length === 0 || times.includes(null)) return null;
  return Math.min(1, times.reduce<number>((sum, time) => sum + time!, 0) / block.wall);
}

/** Mean over blocks with smallest and largest; the spread is null for a single block. */
function metric(values: readonly (number | null)[], unit: Unit, amortised: boolean): Metric | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  if (known.length === 0) return null;
  const several = known.length > 1;
  return {
    value: mean(known)!,
    low: several ? Math.min(...known) : null,
    high: several ? Math.max(...known) : null,
    unit,
    amortised,
  };
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null) as number[];
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
