import type { Memory, VariantResult } from "./variant.ts";

/** What `--dry-run` finds out about a scenario without opening a device. */
export interface DryRun {
  scenario: string;
  /** The name of the variant that the others are compared with. */
  baseline: string;
  /** The adapter that was assumed, or null when none was asked for. */
  adapter: string | null;
  variants: DryRunVariant[];
  /**
   * Bytes on the device of all variants together, activations shared, and whether the second copy of the baseline is among
   * them; null without a model.
   */
  resident: { bytes: number; secondArm: boolean } | null;
}

export interface DryRunVariant {
  name: string;
  /** The resolved scenario of this variant, as plain data. */
  config: VariantResult["config"];
  /** Number of trained parameters; null without a model. */
  parameters: number | null;
  /** Floating-point operations of a step by phase; null without a model. */
  flops: Readonly<Record<string, number>> | null;
  /** Bytes on the device. */
  memory: Memory | null;
  /** Shape of a batch of inputs; null where it is not known. */
  inputShape: readonly number[] | null;
  /** Why the variant could not be planned. */
  error: string | null;
}
