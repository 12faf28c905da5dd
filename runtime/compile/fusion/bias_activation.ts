import { isActivation } from "../../../ops/activation.ts";
import { type ActivatedAttrs, withActivation } from "../../../ops/with_activation.ts";
import type { Node, OpDef } from "../../graph/op.ts";
import type { Pattern } from "./pattern.ts";

/**
 * Convolution or matrix product + activation: the kernel applies the activation before it writes its results. The
 * activation's input is not kept, so training fuses only activations whose derivative needs the output alone, not GELU.
 */
export const biasActivation: Pattern = (node, uses) => {
  const input = node.inputs[0];
  const op: OpDef<never> = node.op;
  if (input === undefined || !isActivation(op) || !uses.sole(input)) return null;
  const { roles = [] } = input.node.op;
  if (!roles.includes("product") || roles.includes("attention")) return null;
  if (op.derivativeFrom !== "y" && uses.program.graph.mode === "train") return null;
  const product: Node = input.node;
  const attrs: ActivatedAttrs<unknown> = {
    base: product.attrs,
    form: op.elementwise(node.attrs as never),
    derivative: op.derivativeFrom === "y" ? op.derivative(node.attrs as never) : null,
  };
  return {
    members: [product, node],
    build: (target, map, members) =>
      target.replay(
        { ...product, members, op: withActivation(product.op), attrs },
        product.inputs.map(map),
      ),
  };
};
