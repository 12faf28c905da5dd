import type { ScalerConstants } from "../../ops/optimizer/begin_update.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { AttentionSetting, ImageLayout } from "../graph/types.ts";
import type { Layer } from "../nn/layer.ts";
import type { LossSpec } from "../nn/losses.ts";
import type { Model } from "../nn/multi_input.ts";
import type { OptimizerSpec } from "../nn/optimizers.ts";
import type { ParameterGroup } from "../nn/parameter_groups.ts";
import type { ScheduleSpec } from "../nn/schedules.ts";
import type { AmpLevel } from "../scenario/amp_levels.ts";
import type { FusionName } from "../scenario/fusion_names.ts";
import type { EmaSetting } from "./average.ts";
import type { BatchTypes } from "./build.ts";
import type { Choose } from "./lower.ts";
import type { MemoryUse } from "./plan.ts";
import type { RecomputeSetting } from "./recompute.ts";

/** Model, batch and settings that a plan is compiled from. */
export interface CompileOptions {
  readonly model: Layer | Model;
  readonly loss: LossSpec | null;
  /** Optimizer of the update; null compiles only the forward pass and the loss. */
  readonly optimizer: OptimizerSpec | null;
  /** Micro-batches of a training step, whose gradients are averaged; defaults to 1. */
  readonly accumulate?: number;
  /** Largest norm of all gradients together, to which larger gradients are scaled down; defaults to null: no limit. */
  readonly clipNorm?: number | null;
  /** Learning rate over the updates; defaults to null: constant. */
  readonly schedule?: ScheduleSpec | null;
  /** Parameters with another weight decay or learning rate; defaults to none. */
  readonly groups?: readonly ParameterGroup[];
  /** Moving averages of the parameters; defaults to null: none. */
  readonly ema?: EmaSetting | null;
  /** Layers whose activations the backward pass computes again; defaults to `none`. */
  readonly recompute?: RecomputeSetting;
  readonly batch: BatchTypes;
  readonly amp: {
    readonly level: AmpLevel;
    readonly keepF32: readonly string[];
    /** Loss scaling and the overflow test of gradients; null for neither. */
    readonly scaler: ScalerConstants | null;
  };
  readonly fusion: boolean | readonly FusionName[];
  /** Memory layout of images; defaults to `nhwc`. */
  readonly images?: ImageLayout;
  /** Form of attention; defaults to `auto`. */
  readonly attention?: AttentionSetting;
  /** Lets outputs overwrite inputs that are not read afterwards; defaults to true. */
  readonly inPlace?: boolean;
  /** Picks kernels; defaults to the adapter's. */
  readonly choose?: Choose | undefined;
  readonly traits: DeviceTraits;
  /** Called with the least memory of the plan before its kernels are generated; throws if that is too much. */
  readonly checkLeast?: ((least: LeastMemory) => void) | undefined;
}

/** Memory in bytes that a plan takes at least, as far as it is known without its kernels. */
export type LeastMemory = Pick<MemoryUse, "parameters" | "gradients" | "optimizer" | "activations">;
