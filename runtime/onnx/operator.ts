import { clipped } from "../core/shown.ts";
import type { Application } from "./application.ts";
import type { OnnxNode } from "./format/model.ts";
import type { Constant, Value } from "./value.ts";

/** An operator of ONNX. Methods throw `InputError` without the place, which the importer adds. */
export interface Operator {
  /** Name in files, such as `Conv`. */
  readonly type: string;
  /** Domain in files; the standard's if it is left out. */
  readonly domain?: string;
  /** Adds the operator's nodes to the model and returns its outputs, null for one that Tacho does not compute. */
  build(node: Application): Value | readonly (Value | null)[];
  /** Computes the outputs of constants. Without it, constants become tensors of the model. */
  fold?(node: Application): Constant | readonly Constant[];
}

/** Domain of the operators that onnxruntime adds to the standard's. */
export const MICROSOFT = "com.microsoft";

/** Name by which operators are found. */
export function operatorKey(type: string, domain = ""): string {
  return domain === "" ? type : `${domain}.${type}`;
}

/** Returns a node's type and name, for messages. */
export function placeOf({ name, type }: Pick<OnnxNode, "name" | "type">): string {
  return name === "" ? clipped(type) : `${clipped(type)} "${clipped(name)}"`;
}

/** Domain of the operators that replace a recognised pattern of nodes. */
export const FUSED = "tacho";
