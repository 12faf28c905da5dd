import type { z } from "zod";
import type { OpDef, Tensor } from "../../graph/op.ts";
import type { KindSchema } from "../../data/kinds.ts";
import type { PointwiseLossOp } from "../../../ops/pointwise_loss.ts";

/** Values of a sample in row-major order. */
export type SampleValues = ArrayLike<number>;

/** Scores of each sample of a batch, f32 `[n]`. The loss of a set of samples is the sum of losses / the sum of weights. */
export interface SampleLosses {
  readonly loss: Tensor;
  /** Weight of each sample; null if every sample weighs 1. */
  readonly weight: Tensor | null;
}

/** A loss: its settings, its graph and its host form. Defined in one file, listed in `nn/losses.ts`. */
export interface LossDef<S extends KindSchema = KindSchema> {
  /** Settings with their help texts and defaults; the `kind` is the factory's name. */
  readonly schema: S;
  /**
   * Accepted targets: class indices, for which evaluation also reports accuracy, numbers in the output's shape, or
   * anything.
   */
  readonly targets: "classes" | "numbers" | "any";
  /** Returns the class index of ignored targets. */
  ignored?(spec: z.output<S>): number;
  /** Ops defined with the loss instead of in `ops/`. */
  readonly ops?: readonly OpDef<never>[];
  /**
   * Adds the mean loss of a batch to the graph, f32 `[1]`. The caller has checked the kind of target and aligned its
   * layout.
   *
   * @param fields further fields of the batch, by name
   * @throws {InputError} if the shapes do not fit
   */
  apply(spec: z.output<S>, output: Tensor, target: Tensor, fields: Fields): Tensor;
  /** Adds the scores of each sample to the graph, for evaluation; otherwise like `apply`. */
  perSample(spec: z.output<S>, output: Tensor, target: Tensor, fields: Fields): SampleLosses;
  /**
   * Returns the loss and the weight of a sample in f64, as a reference for the kernels; `target` is the class indices of
   * its rows for classes. The loss of a batch is the sum of losses / the sum of weights. Absent for losses in code.
   */
  ofSample?(spec: z.output<S>, output: SampleValues, target: SampleValues): { loss: number; weight: number };
}

/** Fields of a batch beside the model's inputs and the target, by name. */
export type Fields = Readonly<Record<string, Tensor>>;

/**
 * Defines a loss that is a mean over all elements.
 *
 * @param op kernels, whose attributes are the schema's fields without `kind`
 * @param ofElement loss of one prediction and its target, in f64
 */
export function pointwise<S extends KindSchema>(
  schema: S,
  op: PointwiseLossOp<Omit<z.output<S>, "kind">>,
  ofElement: (prediction: number, target: number, spec: z.output<S>) => number,
): LossDef<S> & Required<Pick<LossDef<S>, "ofSample">> {
  return {
    schema,
    targets: "numbers",
    ops: [op, op.gradientOp, op.rowsOp],
    apply(spec, output, target) {
      const { kind: _, ...attrs } = spec;
      return output.graph.apply(op, attrs, [output, target])[0]!;
    },
    perSample(spec, output, target) {
      const { kind: _, ...attrs } = spec;
      return { loss: output.graph.apply(op.rowsOp, attrs, [output, target])[0]!, weight: null };
    },
    ofSample(spec, output, target) {
      let sum = 0;
      for (let i = 0; i < output.length; i++) sum += ofElement(output[i]!, target[i]!, spec);
      return { loss: sum / output.length, weight: 1 };
    },
  };
}
