import type { z } from "zod";
import type { OpDef, Tensor } from "../../graph/op.ts";
import type { KindSchema } from "../../data/kinds.ts";

/** Numbers of one sample, row-major. */
export type SampleValues = ArrayLike<number>;

/** A loss: its settings, its graph and its host form. Defined in one file, listed in `nn/losses.ts`. */
export interface LossDef<S extends KindSchema = KindSchema> {
  /** Settings with their help texts and defaults; the `kind` is the factory's name. */
  readonly schema: S;
  /**
   * Targets that it takes: one class index per sample, for which evaluation also reports accuracy, or numbers in the
   * output's shape.
   */
  readonly targets: "classes" | "numbers";
  /** Ops that are defined with the loss instead of in `ops/`. */
  readonly ops?: readonly OpDef<never>[];
  /**
   * Adds the mean loss of a batch to the graph, f32 `[1]`. The dtype class of the target and the layout of numbers are
   * already checked and aligned.
   *
   * @throws {InputError} if the shapes do not fit
   */
  apply(spec: z.output<S>, output: Tensor, target: Tensor): Tensor;
  /** Adds the loss of each sample to the graph, f32 `[n]`, for evaluation; otherwise as `apply`. */
  perSample(spec: z.output<S>, output: Tensor, target: Tensor): Tensor;
  /**
   * Loss of one sample in f64, which the kernels are checked against; `target` is `[index]` for classes. The mean over
   * samples is the loss of a batch.
   */
  ofSample(spec: z.output<S>, output: SampleValues, target: SampleValues): number;
}
