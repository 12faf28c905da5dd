import { optimizerOf, type OptimizerSpec } from "../../../runtime/nn/optimizers.ts";

/** The values that one parameter takes under an optimizer's host form, the first aside. */
export function trajectory(spec: OptimizerSpec, start: number, gradients: readonly number[]): number[] {
  const definition = optimizerOf(spec);
  const state = new Float64Array(definition.update(spec).states);
  let parameter = start;
  return gradients.map((gradient, i) => parameter = definition.ofParameter(spec, parameter, gradient, state, i + 1));
}
