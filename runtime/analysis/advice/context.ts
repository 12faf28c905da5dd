import { type Step, stepsOf } from "../../data/transforms/definitions.ts";
import type { SampleType } from "../../data/transforms/transform.ts";
import type { OpRecord } from "../../result/ops.ts";
import type { Pipeline } from "../../result/pipeline.ts";
import type { Peaks } from "../../result/roofline.ts";
import type { Memory, VariantResult } from "../../result/variant.ts";
import { opTime } from "./op_times.ts";
import { type Peer, peersOf } from "./peers.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { deviceTime, type Machine, type Making, makingOf, partsOf, type StepParts } from "./step_parts.ts";

/** Facts about a run that hold for all of its variants. */
export interface RunFacts {
  /** Processor cores; null where unknown. */
  readonly cores: number | null;
  /** `true` where kernels run on the cores that make batches. */
  readonly software: boolean;
  /** Null where they were not measured. */
  readonly peaks: Peaks | null;
  /** Bytes of device memory that a variant may take; null where there is no known limit. */
  readonly memoryLimit: number | null;
}

/** Everything that advice on one variant may rest on. */
export interface AdviceInput extends RunFacts {
  readonly variant: VariantResult;
  /** The variant it is compared with in the same run; null for the baseline itself. */
  readonly baseline: VariantResult | null;
  /** The training data; null where unknown. */
  readonly data: DataFacts | null;
}

/** The training data of a variant. */
export interface DataFacts {
  readonly samples: number;
  /** A sample as the source gives it, before the transforms. */
  readonly sample: SampleType;
}

/** The input with everything derived from it that rules share. A rule names the nullable fields that it needs. */
export interface AdviceContext extends AdviceInput {
  readonly settings: Settings;
  readonly parts: StepParts;
  readonly machine: Machine;
  /** Threads that make batches besides the main one. */
  readonly workers: number;
  /** Settings of the baseline; null without a baseline, and for a record of another version. */
  readonly baselineSettings: Settings | null;
  /** The model's title; null where the loader runs alone. */
  readonly model: string | null;
  /** Device time of a step's phases in ms; null without timestamps. */
  readonly device: number | null;
  /** Ops of a step; null where none was timed. */
  readonly ops: readonly OpRecord[] | null;
  /** Timed ops beside others like them; null without peaks. */
  readonly peers: readonly Peer[] | null;
  readonly pipeline: Pipeline | null;
  /** Transforms of the input, with the types between them; null where the data is unknown. */
  readonly transforms: readonly Step[] | null;
  /** Null where no batch was timed in the making. */
  readonly making: Making | null;
  readonly memory: Memory | null;
}

/** Prepares what rules share; null where no step was measured, or the record's settings are of another version. */
export function contextOf(input: AdviceInput): AdviceContext | null {
  const { variant, baseline, peaks, cores, software, data } = input;
  const settings = settingsOf(variant);
  if (settings === null) return null;
  const device = deviceTime(variant);
  const making = makingOf(variant, settings);
  const parts = partsOf(variant, settings, { device, making });
  if (parts === null) return null;
  return {
    ...input,
    settings,
    parts,
    machine: { cores: cores ?? 1, software, trains: settings.model !== null },
    workers: variant.pipeline?.numWorkers ?? 0,
    baselineSettings: baseline === null ? null : settingsOf(baseline),
    model: settings.model,
    device,
    ops: opTime(variant.ops) === 0 ? null : variant.ops,
    peers: peaks === null ? null : peersOf(variant, peaks),
    pipeline: variant.pipeline,
    transforms: data === null ? null : stepsOf(settings.data.transforms, data.sample, 0, "data"),
    making,
    memory: variant.memory,
  };
}
