/**
 * Operators that onnxruntime's optimizer writes, in the domain `com.microsoft`
 * (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md).
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul } from "../../../ops/arithmetic.ts";
import { gelu, GELU_FORMS } from "../../../ops/gelu.ts";
import { matmul } from "../../../ops/matmul.ts";
import { layerNorm, rmsNorm } from "../../../ops/row_norm.ts";
import { sigmoid } from "../../../ops/sigmoid.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { activationOf } from "../gate_activations.ts";
import { MICROSOFT, type Operator } from "../operator.ts";
import { convolve } from "./convolutions.ts";
import { rootNorm } from "./norms.ts";
import { multiply } from "./products.ts";

const contributed = (type: string, build: Operator["build"]): Operator => ({ type, domain: MICROSOFT, build });

/** Adds the bias of an input, if there is one. */
function biased(node: Application, i: number): Tensor {
  return node.has(i) ? add(node.floats(0), node.floats(i)) : node.floats(0);
}

/** The norm of a sum, and the sum. */
function skipNorm(type: string, biasAt: number, norm: (x: Tensor, node: Application) => Tensor): Operator {
  return contributed(type, (node) => {
    const pair = add(node.floats(0), node.floats(1));
    const x = node.has(biasAt) ? add(pair, node.floats(biasAt)) : pair;
    return [norm(x, node), null, null, x];
  });
}

const epsilonOf = ({ attributes }: Application) => attributes.float("epsilon", 1e-5);

/** Applies the activation of a fused operator to its result; `numbers` are those of the activation. */
function activated({ attributes }: Application, x: Tensor, numbers: readonly number[]): Tensor {
  const name = attributes.string("activation", "");
  return name === "" ? x : activationOf(name, numbers.values())(x);
}

/** Returns the numbers of FusedGemm's activation that the file has. */
function gemmNumbers({ attributes }: Application): number[] {
  return ["activation_alpha", "activation_beta", "activation_gamma"].flatMap((name) =>
    attributes.has(name) ? [attributes.float(name, 0)] : []
  );
}

const product: Operator["build"] = (node) => {
  const { attributes } = node;
  attributes.only(0, "transBatchA", "transBatchB");
  const [transposeA, transposeB] = [attributes.integer("transA", 0) !== 0, attributes.integer("transB", 0) !== 0];
  return mul(matmul(node.floats(0), node.floats(1), { transposeA, transposeB }), attributes.float("alpha", 1));
};

/** Root mean square norms; before version 23 of the standard, its domain has one without a specification. */
const simplified: Operator = {
  type: "SimplifiedLayerNormalization",
  build: (node) => [rootNorm(node), null],
};

export const CONTRIBUTED: readonly Operator[] = [
  contributed("Gelu", (node) => gelu(node.floats(0))),
  contributed("BiasGelu", (node) => gelu(biased(node, 1))),
  contributed("FastGelu", (node) => gelu(biased(node, 1), { approximate: GELU_FORMS[1] })),
  contributed("QuickGelu", (node) => {
    const x = node.floats(0);
    return mul(x, sigmoid(mul(x, node.attributes.float("alpha", 1.702))));
  }),
  contributed("FusedMatMul", product),
  contributed("FusedGemm", (node) => activated(node, multiply(node), gemmNumbers(node))),
  contributed(
    "FusedConv",
    (node) => activated(node, convolve(node), node.attributes.floats("activation_params") ?? []),
  ),
  skipNorm("SkipLayerNormalization", 4, (x, node) => {
    const beta = node.has(3) ? node.floats(3) : null;
    return layerNorm(x, node.floats(2), beta, { epsilon: epsilonOf(node) });
  }),
  skipNorm(
    "SkipSimplifiedLayerNormalization",
    3,
    (x, node) => rmsNorm(x, node.floats(2), { epsilon: epsilonOf(node) }),
  ),
  simplified,
];
