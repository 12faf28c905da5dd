import { type Step, stepsOf } from "../../data/transforms/definitions.ts";
import type { SampleType } from "../../data/transforms/transform.ts";
import type { OpRecord } from "../../result/ops.ts";
import type { Pipeline } from "../../result/pipeline.ts";
import type { Peaks } from "../../result/roofline.ts";
import type { Memory, VariantResult } from "../../result/variant.ts";
import { batchesPerStep } from "../../scenario/config.ts";
import { pipelineOfStep } from "../pipeline_of_step.ts";
import { opTime } from "./op_times.ts";
import { type Peer, peersOf } from "./peers.ts";
import type { PlanStep } from "./planned_step.ts";
import { type MeasuredAllReduce, measuredAllReduce } from "./ranks/all_reduce.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { deviceTime, type Machine, type Making, makingOf, partsOf, type StepParts } from "./step_parts.ts";

/** Facts that all variants of a run share. */
export interface RunFacts {
  /** CPU cores; null if unknown. */
  readonly cores: number | null;
  /** True for a software adapter, whose kernels run on the cores that make batches. */
  readonly software: boolean;
  /** Peaks of the adapter; null if not measured. */
  readonly peaks: Peaks | null;
  /** Limit of device memory in bytes; null if unknown. */
  readonly memoryLimit: number | null;
}

/** Input of the advice on a variant. */
export interface AdviceInput extends RunFacts {
  readonly variant: VariantResult;
  /** Baseline of the same run; null for the baseline itself. */
  readonly baseline: VariantResult | null;
  /** Training data; null if unknown. */
  readonly data: DataFacts | null;
  /** Plans the variant with other settings, on demand; null or absent where nothing can be planned. */
  readonly plan?: PlanStep | null;
  /** Smallest gain to report. Default 1.01. */
  readonly minGain?: number;
}

/** Training data of a variant. */
export interface DataFacts {
  readonly samples: number;
  /** Type of a sample before the transforms. */
  readonly sample: SampleType | null;
}

/** The input, and values derived from it that rules share. A rule lists the nullable fields that it needs. */
export interface AdviceContext extends AdviceInput {
  readonly plan: PlanStep | null;
  readonly settings: Settings;
  /** Samples of a step on this rank. */
  readonly samples: number;
  readonly parts: StepParts;
  readonly machine: Machine;
  /** Worker threads that make batches. */
  readonly workers: number;
  /** Settings of the baseline; null without one, and for a record of another version. */
  readonly baselineSettings: Settings | null;
  /** Title of the model; null if the loader runs alone. */
  readonly model: string | null;
  /** Device time of a step's phases in ms; null without timestamps. */
  readonly device: number | null;
  /** Ops of a step; null if none was timed. */
  readonly ops: readonly OpRecord[] | null;
  /** Timed ops with their similar ops; null without peaks. */
  readonly peers: readonly Peer[] | null;
  /** Input pipeline, in which a batch is all batches of a step. */
  readonly pipeline: Pipeline | null;
  /** Type of a sample before the transforms; null if unknown, or if no transforms change it. */
  readonly sample: SampleType | null;
  /** Transforms of the input, with the types between them; null if the data is unknown, or they change no input. */
  readonly transforms: readonly Step[] | null;
  /** Time to make the batches of a step; null if not measured. */
  readonly making: Making | null;
  readonly memory: Memory | null;
  /** Average of gradients over ranks; null on one rank. */
  readonly allReduce: MeasuredAllReduce | null;
}

/** Prepares the context of rules; null if no step was measured or the settings are of another version. */
export function contextOf(input: AdviceInput): AdviceContext | null {
  const { baseline, peaks, cores, software, data } = input;
  const variant = { ...input.variant, pipeline: pipelineOfStep(input.variant) };
  const settings = settingsOf(variant);
  if (settings === null) return null;
  const device = deviceTime(variant);
  const samples = settings.loader.batchSize * batchesPerStep(variant.config) / (variant.ranks?.size ?? 1);
  const making = makingOf(variant, settings, samples);
  const parts = partsOf(variant, settings, { device, making });
  if (parts === null) return null;
  return {
    ...input,
    variant,
    settings,
    samples,
    parts,
    machine: { cores: cores ?? 1, software, trains: settings.model !== null },
    workers: variant.pipeline?.numWorkers ?? 0,
    baselineSettings: baseline === null ? null : settingsOf(baseline),
    model: settings.model,
    device,
    ops: opTime(variant.ops) === 0 ? null : variant.ops,
    peers: peaks === null ? null : peersOf(variant, peaks),
    pipeline: variant.pipeline,
    sample: data?.sample ?? null,
    transforms: data === null || data.sample === null
      ? null
      : stepsOf(settings.data.transforms, data.sample, 0, "data"),
    making,
    memory: variant.memory,
    plan: input.plan ?? null,
    allReduce: measuredAllReduce(variant.ranks, settings),
  };
}
