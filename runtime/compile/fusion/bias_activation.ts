import { isActivation } from "../../../ops/activation.ts";
import { type ActivatedAttrs, withActivation } from "../../../ops/with_activation.ts";
import type { Node, OpDef } from "../../graph/op.ts";
import type { Pattern } from "./pattern.ts";

/**
 * An activation behind a convolution or a matrix product, which add their bias themselves: applied to the sums before they
 * are written. Training needs the derivative from the output, since the input is not kept: GELU is left alone there.
 */
export const biasActivation: Pattern = (node, uses) => {
  const input = node.inputs[0];
  const op: OpDef<never> = node.op;
  if (input === undefined || !isActivation(op) || !uses.sole(input)) return null;
  if (!input.node.op.roles?.includes("product")) return null;
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
