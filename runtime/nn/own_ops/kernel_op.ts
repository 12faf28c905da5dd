import { cast } from "../../../ops/cast.ts";
import { outputOf } from "../../../ops/kernels/tensors.ts";
import { bytesOf } from "../../../ops/buffers.ts";
import { toLayout } from "../../../ops/to_layout.ts";
import { type DType, DTYPE_BYTES, isFloat } from "../../core/dtype.ts";
import { isInstance } from "../../core/is_instance.ts";
import { formatShape, sameShape, type Shape } from "../../core/shape.ts";
import { shown } from "../../core/shown.ts";
import { type Cost, type Node, type OpDef, Tensor } from "../../graph/op.ts";
import { isImages, type TensorType } from "../../graph/types.ts";
import { kindOf } from "../layer.ts";
import type { AnyKernelOp, OpOptions } from "./definition.ts";
import { infosOf, kernelPlans } from "./kernels.ts";
import { attempt, opError } from "./problem.ts";

/** Returns the op of a definition that has been checked. Its attributes are the options. */
export function kernelOp(definition: AnyKernelOp): OpDef<OpOptions> {
  const { type, inputs: inputNames, outputs: outputNames = ["y"] } = definition;
  return {
    type,
    precision: definition.precision ?? "follow",
    aliases: definition.aliases ?? {},
    ownOps: () => [type],
    shape(inputs, attrs) {
      const given: unknown = attempt(type, "shape", () => definition.shape(infosOf(inputNames, inputs), attrs));
      return outputNames.map((name) => outputType(type, name, given, inputs));
    },
    cost(inputs, outputs, attrs) {
      const tensors = { ...infosOf(inputNames, inputs), ...infosOf(outputNames, outputs) };
      const given = attempt(type, "cost", () => definition.cost(tensors, attrs));
      return checkedCost(
        type,
        typeof given === "number" ? { flops: given, bytes: bytesOf(...inputs, ...outputs) } : given,
      );
    },
    ...(definition.gradient === undefined ? {} : { gradient: (node, dys) => gradientOf(definition, node, dys) }),
    candidates: (context) => kernelPlans(definition, context),
  };
}

/** Adds the script's gradient and returns it per input, in the input's type. */
function gradientOf(
  definition: AnyKernelOp,
  node: Node<OpOptions>,
  dys: readonly (Tensor | null)[],
): (Tensor | null)[] {
  const { type, inputs, outputs = ["y"] } = definition;
  const byName = <T>(names: readonly string[], values: readonly T[]) =>
    Object.fromEntries(names.map((name, i) => [name, values[i]!]));
  const given: unknown = attempt(type, `gradient (layer "${node.layer}")`, () =>
    definition.gradient!({
      inputs: byName(inputs, node.inputs),
      outputs: byName(outputs, outputs.map((_, i) => outputOf(node, i))),
      // Every output has the type that the shape rule gave it
      gradients: byName(outputs, dys.map((dy, i) => dy && toLayout(dy, node.outputs[i]!.layout))) as Record<
        string,
        Tensor
      >,
      options: node.attrs,
    }));
  return inputs.map((name, i) => {
    const fail = (message: string) => opError(type, `gradient (layer "${node.layer}"): ${name} ${message}`);
    const dx: unknown = (given as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    if (dx === null) return null;
    if (dx === undefined) throw fail("is missing; return its gradient, or null if it has none");
    if (!isInstance(dx, Tensor)) throw fail(`is ${kindOf(dx)}; expected a tensor or null`);
    const { shape, dtype, layout } = node.inputs[i]!.type;
    if (!sameShape(dx.shape, shape)) {
      throw fail(`has shape ${formatShape(dx.shape)}; expected the input's, ${formatShape(shape)}`);
    }
    return toLayout(isFloat(dtype) ? cast(dx, dtype) : dx, layout);
  });
}

/** Returns the type of an output from what the shape rule returned. Images stay images, in row-major order of n, c, h, w. */
function outputType(type: string, name: string, given: unknown, inputs: readonly TensorType[]): TensorType {
  const value: unknown = (given as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  const typed = Array.isArray(value)
    ? { shape: value as unknown }
    : value as { shape?: unknown; dtype?: unknown } | undefined;
  const shape = typed?.shape;
  const dtype = (typed as { dtype?: unknown } | undefined)?.dtype ??
    (inputs.find((input) => isFloat(input.dtype)) ?? inputs[0]!).dtype;
  if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && n > 0)) {
    throw opError(
      type,
      `shape: output ${name} is ${shown(value)}; expected a list of whole numbers of at least 1, or { shape, dtype }`,
    );
  }
  if (typeof dtype !== "string" || !Object.hasOwn(DTYPE_BYTES, dtype)) {
    throw opError(type, `shape: the type of output ${name} is ${shown(dtype)}; expected f32, f16, i32 or u32`);
  }
  const layout = shape.length === 4 && inputs.some(isImages) ? "nchw" : "row";
  return { shape: shape as Shape, dtype: dtype as DType, layout };
}

function checkedCost(type: string, { flops, bytes }: Cost): Cost {
  if (Number.isFinite(flops) && flops >= 0 && Number.isFinite(bytes) && bytes >= 0) return { flops, bytes };
  throw opError(type, `cost: expected numbers of at least 0, got ${String(flops)} FLOP and ${String(bytes)} bytes`);
}
