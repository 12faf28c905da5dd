/**
 * Dropout, and normalisation without weights.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { div, mul, sub } from "../../../ops/arithmetic.ts";
import { dropout } from "../../../ops/dropout.ts";
import { sqrt } from "../../../ops/exponential.ts";
import { mean } from "../../../ops/sum.ts";
import { limitedSize } from "../host/limit.ts";
import type { Operator } from "../operator.ts";
import { Constant, isConstant } from "../value.ts";

/** Dropout in training; the file's own mode does not matter. The mask is not computed but for inference, where it is 1. */
const drop: Operator = {
  type: "Dropout",
  build(node) {
    const { attributes } = node;
    attributes.ignore("the scenario has the mode and the seed", "seed", "is_test");
    attributes.ignore("it concerns memory", "consumed_inputs");
    node.ignoreInput("the scenario has the mode", 2);
    const ratio = node.number(1, "the ratio") ?? attributes.float("ratio", 0.5);
    const x = node.value(0);
    const { shape } = x;
    const isRead = (node.node.outputs[1] ?? "") !== "";
    const mask = isRead && node.graph.mode === "infer"
      ? Constant.of("boolean", shape, new Float64Array(limitedSize(shape)).fill(1))
      : null;
    return [isConstant(x) && !x.trained ? x : dropout(node.tensor(0), ratio), mask];
  },
};

/** Subtracts the mean over axes and divides by the standard deviation. */
const standardize: Operator = {
  type: "MeanVarianceNormalization",
  build(node) {
    const x = node.floats(0);
    const axes = [...node.attributes.integers("axes") ?? [0, 2, 3]];
    const centred = sub(x, mean(x, { axes, keepDims: true }));
    const variance = mean(mul(centred, centred), { axes, keepDims: true });
    return div(centred, add(sqrt(variance), 1e-9));
  },
};

export const REGULARIZATION: readonly Operator[] = [drop, standardize];
