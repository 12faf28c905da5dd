/**
 * Programs and plans shared by tests of the compiler.
 *
 * @module
 */
import { crossEntropy, type Tensor } from "../../mod.ts";
import { type BatchTypes, buildProgram } from "../../runtime/compile/build.ts";
import type { CompileOptions } from "../../runtime/compile/compile_options.ts";
import type { Program } from "../../runtime/compile/rewrite.ts";
import type { Dispatch, Plan } from "../../runtime/compile/plan.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import type { Mode, Node } from "../../runtime/graph/op.ts";
import { sgd } from "../../runtime/nn/optimizers/sgd.ts";

export type Build = (x: Tensor) => Tensor;

/** Returns the types of a batch of inputs and class indices. */
function classified(shape: readonly number[]): BatchTypes {
  return { input: { shape, dtype: "f32" }, target: { shape: [shape[0]!], dtype: "i32" } };
}

/** Builds a classifier's forward program for a batch of `shape`. */
export function programOf(model: Build, shape: readonly number[], mode: Mode = "train"): Program {
  return buildProgram(model, crossEntropy(), classified(shape), mode);
}

export function optionsOf(
  model: Build,
  shape: readonly number[],
  changes: Partial<CompileOptions> = {},
): CompileOptions {
  return {
    model,
    loss: crossEntropy(),
    optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
    batch: classified(shape),
    amp: { level: "O0", keepF32: [], scaler: null },
    fusion: true,
    traits: DEFAULT_TRAITS,
    ...changes,
  };
}

/** Returns all nodes except leaves. */
export function computed({ graph }: Program): Node[] {
  return graph.nodes.filter(({ op }) => op.type !== "leaf");
}

export function dispatchesOf(plan: Plan): readonly Dispatch[] {
  return plan.segments.flatMap(({ dispatches }) => dispatches);
}
