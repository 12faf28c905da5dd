import type { Adapted } from "./schema.ts";
import type { ExactCounts } from "./exact.ts";
import type { Memory, VariantResult } from "./variant.ts";

/** Result of `--dry-run`, which opens no device. */
export interface DryRun {
  scenario: string;
  /** Name of the variant that the others are compared with. */
  baseline: string;
  /** Adapter whose limits were assumed; null if none was given. */
  adapter: string | null;
  /** Effect of the scenario's settings by adapter; null for a scenario without any. */
  adapted: Adapted | null;
  /** Number of ranks for one of which distributed variants are planned; null without such a variant. */
  ranks: number | null;
  variants: DryRunVariant[];
  /**
   * Bytes on the device of all variants together, which share activations; `secondArm` is true if this includes the
   * control arm. Null without a model.
   */
  resident: { bytes: number; secondArm: boolean } | null;
  /** Message if the variants cannot run together; null if they can. */
  error: string | null;
}

/** A variant as planned. */
export interface DryRunVariant {
  name: string;
  /** Resolved settings as plain data. */
  config: VariantResult["config"];
  /** Number of trained parameters; null without a model. */
  parameters: number | null;
  /** Floating-point operations per step by phase; null without a model. */
  flops: Readonly<Record<string, number>> | null;
  /** Exact counts of a step, as far as the plan tells; null without a model. */
  exact: ExactCounts | null;
  /** Bytes on the device. */
  memory: Memory | null;
  /** Shape of a batch of inputs; null if unknown. */
  inputShape: readonly number[] | null;
  /** Code of the kernels of a step on AMD's GPUs; absent unless asked for. */
  kernels?: { name: string; wgsl: string; dispatches: number }[];
  /** Message if the variant cannot be planned. */
  error: string | null;
}
