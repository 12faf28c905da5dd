import type { Timing } from "../record/timing.ts";
import { ofPhase, phaseValues, toByPhase } from "../record/phases.ts";
import type { Block, Bound, Metric, Metrics, StepRecord, Unit } from "../result/schema.ts";
import { allReduceOf } from "./ranks.ts";
import { stepPhases, type StepTime } from "./step_statistics.ts";

/** Measurements that the metrics of a variant are computed from. */
export interface Measured {
  readonly blocks: readonly Block[];
  /** Time that the runtime slept in each block: ms. */
  readonly runtimeWaits: readonly number[];
  /** Host times of a step are those of its sink divided by the steps. */
  readonly amortised: boolean;
  readonly unit: Unit;
  /** Milliseconds; `firstStep` too. */
  readonly setup: number | null;
  readonly firstStep: number | null;
  readonly accuracy: number | null;
  /** Clock of step times; the device times each step of a sink. */
  readonly timing: Timing | null;
  /** Extra time of a step with phase timestamps, relative to the batch cost. */
  readonly profilingCost: number | null;
}

/** A part that takes this fraction of the step bounds it. */
const MAJORITY = 0.5;

/** Fraction of a step from which the wait for batches bounds it if no other part takes more. */
const WAIT = 0.4;

/**
 * Computes the metrics of a variant: the mean over block means, with the smallest and largest block as the spread.
 * Throughput is the inverse of the mean time of a sample, so that it is the samples of a step / the batch cost. The speed-up
 * is null, as it depends on the baseline.
 */
export function summarize(measured: Measured): Metrics {
  const { blocks, amortised } = measured;
  const perStep = (time: StepTime, onHost = false) => metric(means(blocks, time), "ms", onHost && amortised);
  const phases = stepPhases(blocks).map(({ name }) =>
    [name, metric(blocks.map((block) => mean(block.steps.map((step) => ofPhase(step, name)))), "ms", false)] as const
  );
  return {
    ips: rate(blocks, measured.unit),
    speedup: null,
    batchCost: perStep("batchCost", true),
    readerCost: perStep("readerCost"),
    stepTime: perStep("stepTime", measured.timing !== "event"),
    iterationGap: perStep("iterationGap"),
    ...toByPhase(phases),
    ...blocks.some(({ steps }) => steps.some(({ allReduce }) => allReduce !== undefined))
      ? { allReduce: metric(blocks.map(({ steps }) => mean(steps.map(allReduceOf))), "ms", false)! }
      : {},
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

/** Returns all metrics that were measured, further phases included; not the speed-up, which compares two. */
export function measuredMetrics({ phases = {}, speedup: _, ...fields }: Metrics): Metric[] {
  return [...Object.values(fields), ...Object.values(phases)]
    .filter((metric) => metric !== null);
}

/** Returns the part that takes at least half of a step: data loading, the device, or the host. Null without device times. */
function boundBy(
  { batchCost, readerCost, deviceBusy }: Pick<Metrics, "batchCost" | "readerCost" | "deviceBusy">,
): Bound | null {
  if (batchCost === null || batchCost.value <= 0) return null;
  const input = (readerCost?.value ?? 0) / batchCost.value;
  // Waiting and device work overlap in a sink: a busy device is not starved
  if (deviceBusy !== null && deviceBusy.value >= MAJORITY) return "device";
  if (input >= MAJORITY) return "input";
  if (deviceBusy === null) return null;
  if (waitBounds(input, deviceBusy.value)) return "input";
  return 1 - deviceBusy.value - input >= MAJORITY ? "host" : "none";
}

/**
 * Returns true if the wait for batches bounds a step, by its fraction and that of the busy device: it takes nearly half and
 * more than the device or the host. Nothing else goes on meanwhile.
 */
export function waitBounds(wait: number, busy: number): boolean {
  return wait >= WAIT && wait > busy && wait > 1 - wait - busy;
}

/** Returns what bounds a step, from the blocks alone: during a run, or without device times. */
export function boundSoFar(blocks: readonly Block[]): Bound | null {
  return boundBy({
    batchCost: metric(means(blocks, "batchCost"), "ms", false),
    readerCost: metric(means(blocks, "readerCost"), "ms", false),
    deviceBusy: metric(blocks.map(busyShare), "ratio", false),
  });
}

/** Returns the phase time of a block / its wall time; null unless every phase of every step was timed. */
export function busyShare(block: Block): number | null {
  const busy = (step: StepRecord) => {
    const phases = phaseValues(step);
    return phases.length === 0 ? null : phases.reduce((sum, time) => sum + time, 0);
  };
  const times = block.steps.map(busy);
  if (block.wall <= 0 || times.length === 0 || times.includes(null)) return null;
  return Math.min(1, times.reduce<number>((sum, time) => sum + time!, 0) / block.wall);
}

/** Returns samples per second: of the mean time of a sample over blocks, with the slowest and the fastest block. */
function rate(blocks: readonly Block[], unit: Unit): Metric | null {
  const rates = blocks.map(({ samples, wall }) => wall > 0 && samples > 0 ? samples / wall * 1000 : null);
  const spread = metric(rates, unit, false);
  return spread && { ...spread, value: 1 / mean(rates.map((rate) => rate && 1 / rate))! };
}

/** Returns the mean over blocks with the extremes, which are null for a single block. */
function metric(values: readonly (number | null)[], unit: Unit, amortised: boolean): Metric | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  if (known.length === 0) return null;
  const several = known.length > 1;
  return {
    value: mean(known)!,
    min: several ? Math.min(...known) : null,
    max: several ? Math.max(...known) : null,
    unit,
    amortised,
  };
}

function means(blocks: readonly Block[], time: StepTime): (number | null)[] {
  return blocks.map((block) => mean(block.steps.map((step) => step[time])));
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null) as number[];
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
