import type { z } from "zod";
import type { OpDef, Tensor } from "../../graph/op.ts";
import type { KindSchema } from "../../data/kinds.ts";

/** Values of a sample in row-major order. */
export type SampleValues = ArrayLike<number>;

/** A loss: its settings, its graph and its host form. Defined in one file, listed in `nn/losses.ts`. */
export interface LossDef<S extends KindSchema = KindSchema> {
  /** Settings with their help texts and defaults; the `kind` is the factory's name. */
  readonly schema: S;
  /**
   * Accepted targets: a class index per sample, for which evaluation also reports accuracy, or numbers in the output's
   * shape.
   */
  readonly targets: "classes" | "numbers";
  /** Ops defined with the loss instead of in `ops/`. */
  readonly ops?: readonly OpDef<never>[];
  /**
   * Adds the mean loss of a batch to the graph, f32 `[1]`. The caller has checked the kind of target and aligned its
   * layout.
   *
   * @throws {InputError} if the shapes do not fit
   */
  apply(spec: z.output<S>, output: Tensor, target: Tensor): Tensor;
  /** Adds the loss of each sample to the graph, f32 `[n]`, for evaluation; otherwise like `apply`. */
  perSample(spec: z.output<S>, output: Tensor, target: Tensor): Tensor;
  /**
   * Returns the loss of a sample in f64, as a reference for the kernels; `target` is `[index]` for classes. The loss of a
   * batch is the mean over samples.
   */
  ofSample(spec: z.output<S>, output: SampleValues, target: SampleValues): number;
}
