/**
 * Class targets of softmax cross-entropy in WGSL. The target probability of class k in a row of class y is
 * `q_k = w_k (onAll + onTarget [k = y])`, with w_k = 1 without class weights.
 *
 * @module
 */
import type { UniformValue } from "../../runtime/device/kernel.ts";

export interface ClassTargets {
  /** Fraction of the target probability that is spread evenly over all classes, in [0, 1). */
  readonly labelSmoothing: number;
  /** Class index of ignored rows. */
  readonly ignoreIndex: number;
  /** Weight of each class; null weighs them equally. */
  readonly weight: readonly number[] | null;
}

/** Returns the uniforms that the functions below read. */
export function targetUniforms(targets: ClassTargets, classes: number): Readonly<Record<string, UniformValue>> {
  const { labelSmoothing, ignoreIndex, weight } = targets;
  const onAll = labelSmoothing / classes;
  return {
    onTarget: { f32: 1 - labelSmoothing },
    onAll: { f32: onAll },
    ignored: { i32: ignoreIndex },
    ...weight !== null && {
      // Sum over all classes of their share by smoothing
      smoothed: { f32: onAll * weight.reduce((sum, w) => sum + w, 0) },
      weights: { table: weight },
    },
  };
}

/** Returns the WGSL expression for the weight of class `index`. */
export function classWeight({ weight }: ClassTargets, index: string): string {
  return weight === null ? "1.0" : `u.weights[(${index}) / 4u][(${index}) % 4u]`;
}

/** Returns the part of a kernel's name that distinguishes its compiled variants. */
export function targetsName({ weight }: ClassTargets): string {
  return weight === null ? "" : ".weighted";
}

/**
 * Returns WGSL after the sums of a row: declares `value`, its loss, and `counted`, its weight; both are 0 if the row is
 * ignored.
 *
 * @param target expression of the row's class index
 * @param logit returns the expression of the logit of a class minus the row's largest
 */
export function rowLoss(targets: ClassTargets, target: string, logit: (index: string) => string): string {
  const weighted = targets.weight !== null;
  return `let target_ = ${target};
    let hit = u32(clamp(target_, 0, i32(u.classes) - 1));
    let valid = target_ != u.ignored;
    let counted = select(0.0, ${classWeight(targets, "hit")}, valid);
    let all = ${weighted ? "u.onTarget * counted + u.smoothed" : "1.0"};
    let value = select(0.0, all * logarithm - u.onTarget * counted * (${logit("hit")}) - u.onAll * others, valid);`;
}
