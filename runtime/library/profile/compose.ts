/**
 * Composes the result of a profiled loop.
 *
 * @module
 */
import { outliersOf, stepTimesOf } from "../../analysis/comparison/steps.ts";
import { boundSoFar, summarize } from "../../analysis/metrics.ts";
import { nestRanges } from "../../analysis/device_ranges.ts";
import { median } from "../../core/statistics.ts";
import { clockResets } from "../../device/clock.ts";
import type { Device } from "../../device/device.ts";
import { describeEnvironment } from "../../experiment/environment.ts";
import {
  type ComposedProfile,
  composeProfile,
  hostProfile,
  hostRanges,
  type MeasuredHost,
  withLanes,
} from "../../experiment/variant/compose_profile.ts";
import { rescale } from "../../experiment/variant/record.ts";
import { type ClockFit, type ClockSample, fitClock } from "../../record/clock_fit.ts";
import { NO_DEFECTS } from "../../record/device_samples.ts";
import type { Span } from "../../record/timeline.ts";
import { toByPhase } from "../../record/phases.ts";
import { OWN_LOOP } from "../../report/own_loop.ts";
import { toLoss } from "../../result/loss.ts";
import {
  type Block,
  type Metrics,
  type Profile,
  type RangeRecord,
  type Result,
  SCHEMA_VERSION,
  type StepRecord,
  type VariantResult,
} from "../../result/schema.ts";
import { unmeasuredVariant } from "../../result/unmeasured.ts";
import { samplesPerStep } from "../../scenario/config.ts";
import { describeConfig } from "../../scenario/describe.ts";
import { partsOf, type TrainerParts } from "../../trainer/trainer.ts";
import { knownPeaks } from "../../engine/peak_cache.ts";
import { shownInNotebook } from "../notebook/in_notebook.ts";
import { adviseLoop } from "./loop_advice.ts";
import { LoopProfile } from "./loop_profile.ts";
import type { ProfileOptions } from "./schedule.ts";
import type { LoopRecording, LoopStep, RangeSums } from "./recording.ts";

/** Name of a loop without a name. */
const UNNAMED = "loop";
/** Fewest steps on either side of a comparison of profiled steps with others. */
const MIN_STEPS = 3;

/** Speed-up of a loop, which is its own baseline. */
const ONE: Metrics["speedup"] = { value: 1, low: 1, high: 1, unit: "ratio" };

/** A recording with its options and device. */
export interface RecordedLoop {
  readonly recording: LoopRecording;
  /** Number of the cycle; null for all cycles. */
  readonly cycle: number | null;
  readonly options: ProfileOptions;
  readonly device: Device | null;
  readonly clock: readonly ClockSample[];
  /** Durations of steps without profiling, in ms. */
  readonly idle: readonly number[];
}

/** Composes the profile of recorded steps. */
export async function composeLoop(loop: RecordedLoop): Promise<LoopProfile> {
  const { recording, options, device, cycle } = loop;
  const clock = fitClock(loop.clock, device === null ? 0 : clockResets(device));
  const trainer = options.trainer === undefined ? null : partsOf(options.trainer);
  const name = options.name ?? UNNAMED;
  const blocks = blocksOf(recording, options, trainer, clock);
  const metrics = summarize({
    blocks,
    runtimeWaits: waitsOf(recording, blocks),
    amortised: false,
    unit: `${trainer?.dataset.unit ?? "samples"}/s`,
    setup: null,
    firstStep: null,
    accuracy: null,
    timing: options.device === undefined ? null : "event",
    profilingCost: null,
  });
  const measured = measuredHost(recording, metrics.batchCost?.value ?? null);
  const composed = trainer === null
    ? ownProfile(name, recording, measured, clock)
    : trainerProfile(name, recording, trainer, measured, clock);
  const { ops, profile, timeline } = composed;
  const losses = recording.steps.map(({ loss }) => loss === null ? null : toLoss(loss));
  const last = losses.at(-1) ?? null;
  const variant: VariantResult = {
    ...unmeasuredVariant(name, configOf(options, trainer)),
    planFingerprint: trainer?.session.executor.plan.fingerprint ?? null,
    parameters: trainer?.session.compiled.parameterCount ?? null,
    metrics: { ...metrics, speedup: blocks.length === 0 ? null : ONE },
    bound: boundSoFar(blocks),
    finalLoss: last === null ? null : { step: recording.steps.at(-1)!.index, value: last },
    counts: trainer === null ? null : countsOf(recording),
    blocks,
    autotune: options.trainer?.tuning ?? null,
    ops,
    profile: { ...profile, cost: { ...profile.cost, ops: costOf(recording.steps, loop.idle) } },
    losses,
    stepTimes: stepTimesOf(blocks),
    outliers: outliersOf(blocks),
    memory: trainer?.session.compiled.memory ?? null,
  };
  const environment = await describeEnvironment(device?.info ?? null);
  const { cores } = environment;
  const judged = trainer === null || device === null
    ? { variant, roofline: null }
    : adviseLoop(variant, { ...trainer, device, cores, peaks: knownPeaks(device) });
  const result: Result = {
    schemaVersion: SCHEMA_VERSION,
    environment,
    scenario: { name, file: null, sha256: null, seed: trainer?.config.seed ?? 0, params: {}, adapted: null },
    baseline: name,
    variants: [judged.variant],
    noiseFloor: null,
    procedure: null,
    effects: [],
    front: null,
    ladder: null,
    roofline: judged.roofline,
  };
  return new LoopProfile(shownInNotebook(result), timeline, cycle);
}

/** Returns a block for each cycle. */
function blocksOf(
  { steps }: LoopRecording,
  { samples }: ProfileOptions,
  trainer: TrainerParts | null,
  clock: ClockFit | null,
): Block[] {
  const batch = trainer === null ? 0 : samplesPerStep(trainer.config) * trainer.dataset.unitsPerSample;
  const samplesOf = ({ units }: LoopStep) => samples ?? units * batch;
  return [...Map.groupBy(steps, ({ cycle }) => cycle).values()].map((own, round): Block => {
    const block: Block = {
      round,
      setup: 0,
      position: 0,
      samples: own.reduce((sum, step) => sum + samplesOf(step), 0),
      wall: own.reduce((sum, { start, end }) => sum + end - start, 0),
      steps: own.map(stepRecord),
    };
    return clock === null || clock.scale === 1 ? block : rescale(block, clock.scale, "event");
  });
}

function stepRecord({ index, start, end, readerCost, device, trace, loss }: LoopStep): StepRecord {
  return {
    index,
    batchCost: end - start,
    readerCost,
    stepTime: device === null ? null : Number(device.end - device.begin) / 1e6,
    ...trace ?? { iterationGap: null, ...toByPhase<number>([]) },
    loss: loss === null ? null : toLoss(loss),
  };
}

function waitsOf({ steps }: LoopRecording, blocks: readonly Block[]): number[] {
  const waits = new Map(steps.map(({ index, counts }) => [index, counts?.runtimeWait ?? NaN]));
  return blocks.map((block) => block.steps.reduce((sum, { index }) => sum + waits.get(index)!, 0));
}

function total({ steps }: LoopRecording, key: keyof NonNullable<LoopStep["counts"]>): number {
  return steps.reduce((sum, { counts }) => sum + (counts?.[key] ?? 0), 0);
}

function countsOf(recording: LoopRecording): VariantResult["counts"] {
  const [submits, waits, readbacks] = (["submits", "waits", "readbacks"] as const).map((key) => total(recording, key));
  return { submits: submits!, waits: waits!, readbacks: readbacks! };
}

function measuredHost(recording: LoopRecording, batchCost: number | null): MeasuredHost {
  return {
    host: [...recording.sums].map(([name, { calls, total, min, max }]) => ({
      ...{ name, calls, total, min, max },
      mean: total / calls,
    })),
    transfers: {
      hostToDevice: { count: total(recording, "uploads"), bytes: total(recording, "uploadBytes") },
      deviceToHost: { count: total(recording, "readbacks"), bytes: total(recording, "readbackBytes") },
    },
    defects: NO_DEFECTS,
    phases: new Map(),
    batchCost,
  };
}

/** Returns by how much a profiled step is longer than one that the schedule leaves alone, relative to the latter. */
function costOf(steps: readonly LoopStep[], idle: readonly number[]): number | null {
  if (steps.length < MIN_STEPS || idle.length < MIN_STEPS) return null;
  const without = median(idle);
  return without > 0 ? median(steps.map(({ start, end }) => end - start)) / without - 1 : null;
}

/** Returns the settings of the trainer without those that only a scenario's run has; `mode` is {@linkcode OWN_LOOP} without a trainer. */
function configOf({ device }: ProfileOptions, trainer: TrainerParts | null): VariantResult["config"] {
  if (trainer === null) {
    return { model: null, mode: OWN_LOOP, optimizer: null, timing: device === undefined ? null : "event" };
  }
  const { measure: _, epochs: __, ...config } = describeConfig(trainer.config);
  return { ...config, sink: 0, monitor: "step" } as VariantResult["config"];
}

/** Composes the profile of a trainer's steps. */
function trainerProfile(
  name: string,
  recording: LoopRecording,
  { session }: TrainerParts,
  measured: MeasuredHost,
  clock: ClockFit | null,
): ComposedProfile {
  const { statistics, traced, work, cpu, lanes, kept, host, steps } = recording;
  return composeProfile(
    {
      name,
      plan: session.executor.plan,
      memory: session.compiled.memory,
      executor: session.executor,
      run: { steps: { statistics, first: steps[0]?.index ?? null, traced, work }, cpu, lanes, cost: null },
      setups: new Map(),
      hostRanges: hostRanges(host),
      kept,
    },
    clock,
    measured,
  );
}

/** Composes the profile of a loop without a trainer: its steps and ranges, on the host and between events. */
function ownProfile(
  name: string,
  recording: LoopRecording,
  measured: MeasuredHost,
  clock: ClockFit | null,
): ComposedProfile {
  const { host, device, spans, kept, cpu, lanes, steps } = recording;
  const toMs = (ticks: number) => ticks * (clock?.scale ?? 1) / 1e6;
  const base = hostProfile(measured);
  const profile: Profile = {
    ...base,
    steps: steps.length,
    firstStep: steps[0]?.index ?? 0,
    ranges: [...nestRanges(hostRanges(host)), ...nestRanges(deviceRanges(device, toMs))],
    cpu: cpu.map((use) => ({ ...use })),
    trust: {
      ...base.trust,
      nsPerTick: clock === null || !Number.isFinite(clock.nsPerTickUncertainty)
        ? null
        : { value: clock.nsPerTick, uncertainty: clock.nsPerTickUncertainty },
      offsetUncertainty: clock?.offsetUncertaintyMs ?? null,
    },
  };
  const onDevice = clock === null ? [] : spans.map(({ begin, end, ...span }): Span => ({
    ...span,
    start: clock.toHost(begin),
    end: clock.toHost(end),
  }));
  const timeline = {
    variant: name,
    steps: { traced: recording.inFull, profiled: steps.length },
    ...kept,
    spans: [...kept.spans, ...onDevice],
  };
  return { ops: [], profile, timeline: withLanes(timeline, lanes) };
}

function deviceRanges(sums: ReadonlyMap<string, RangeSums>, toMs: (ticks: number) => number): RangeRecord[] {
  return hostRanges(sums).map(({ total, mean, ...range }) => ({
    ...range,
    track: "device",
    total: toMs(total),
    mean: toMs(mean),
  }));
}
