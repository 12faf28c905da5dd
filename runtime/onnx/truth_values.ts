import type { Tensor } from "../graph/op.ts";
import type { OnnxNode } from "./format/model.ts";
import { isConstant, type Value } from "./value.ts";

/** Number of the element type of truth values. */
const BOOLEAN = 9;

/** Operators that compute truth values. */
const COMPUTE = new Set(
  ["And", "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Not", "Or", "Xor"],
);

/** Operators whose results have the elements of an input, by its place. */
const MOVE: ReadonlyMap<string, number> = new Map(
  [
    ...[
      "Compress",
      "Concat",
      "Expand",
      "Flatten",
      "Gather",
      "GatherElements",
      "GatherND",
      "Identity",
      "Pad",
      "Reshape",
    ],
    ...["ScatterElements", "ScatterND", "Slice", "Split", "Squeeze", "Tile", "Transpose", "Trilu", "Unsqueeze"],
  ].map((type): [string, number] => [type, 0]).concat([["Where", 1], ["CastLike", 1]]),
);

/** Tensors of truth values, which have no element type of their own on the device. */
export class TruthValues {
  readonly #known = new WeakSet<Tensor>();

  has(value: Value | null | undefined): boolean {
    if (value == null) return false;
    return isConstant(value) ? value.kind === "boolean" : this.#known.has(value);
  }

  /** Marks a value if the file declares it as one of truth values. */
  declare(value: Value | undefined, type: number | null): void {
    if (type === BOOLEAN && value !== undefined && !isConstant(value)) this.#known.add(value);
  }

  /** Marks the results of a node. */
  follow(node: OnnxNode, inputs: readonly (Value | null)[], outputs: readonly (Value | null)[]): void {
    const isTruth = COMPUTE.has(node.type) || this.has(inputs[MOVE.get(node.type) ?? -1]) ||
      (node.type === "Cast" && node.attributes.get("to")?.integer === BOOLEAN);
    if (node.domain !== "" || !isTruth) return;
    for (const output of outputs) if (output !== null && !isConstant(output)) this.#known.add(output);
  }
}
