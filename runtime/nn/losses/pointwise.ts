import type { z } from "zod";
import type { PointwiseLossOp } from "../../../ops/pointwise_loss.ts";
import type { KindSchema } from "../../data/kinds.ts";
import type { LossDef } from "./loss_def.ts";

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
