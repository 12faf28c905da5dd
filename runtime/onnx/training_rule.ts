/**
 * The rule by which a file's tensors are trained; docs/guide/onnx.md describes it.
 *
 * @module
 */
import {
  fixedContent,
  isBufferName,
  isConstantNodeName,
  isFilter,
  isOwnName,
  isParameterName,
} from "./buffer_evidence.ts";
import type { OnnxUsage } from "./model_type.ts";
import type { TensorUse } from "./tensor_uses.ts";
import type { Constant } from "./value.ts";

/** Facts about a tensor that decide whether it is trained. */
export interface TensorFacts {
  readonly uses: ReadonlySet<TensorUse>;
  /** Kind that PyTorch's exporter has written: `PARAMETER`, `BUFFER` or `CONSTANT_TENSOR`; null if there is none. */
  readonly declared: string | null;
  /** Program that wrote the file, such as `pytorch 2.5.1`. */
  readonly producer: string;
  /** True for the value of a node `Constant`. */
  readonly isNode: boolean;
  /** True for integers that a node makes floats of by a scale. */
  readonly isQuantized: boolean;
  /** Reads the first elements; returns none for a file that has too many to look at. */
  read(count: number): ArrayLike<number>;
}

/** Names that the user wants trained, or not. */
export interface TrainingChoice {
  isTrained(name: string): boolean;
  isFrozen(name: string): boolean;
}

/** Returns what training does with a tensor, and why in a few words. */
export function usageOf(
  tensor: Constant,
  facts: TensorFacts,
  { isTrained, isFrozen }: TrainingChoice,
): readonly [OnnxUsage, string] {
  const [usage, reason] = byRule(tensor, facts);
  const name = tensor.initializer!;
  const isFixed = usage === "state" || facts.uses.size === 0 || (tensor.kind !== "float" && !facts.isQuantized);
  if (!isFixed && isTrained(name)) return ["trained", "option train"];
  return usage === "trained" && isFrozen(name) ? ["frozen", "option freeze"] : [usage, reason];
}

/** Uses by layers, which tell a parameter whatever its size. */
const LAYER_USES: ReadonlyMap<TensorUse, string> = new Map([
  ["weight", "weight"],
  ["bias", "bias"],
  ["affine", "scale, bias or slope"],
]);

/** Uses that tell no parameter, unless the tensor has the name of one. */
const FIXED_USES: ReadonlyMap<TensorUse, string> = new Map([
  ["offset", "normalises the input"],
  ["spread", "normalises the input"],
]);

const NUMBER_USES: ReadonlyMap<TensorUse, string> = new Map([
  ["attention", "scale of attention"],
  ["epsilon", "epsilon"],
]);

/** Other uses, which tell a parameter if nothing speaks against it. */
const VALUE_USES: ReadonlyMap<TensorUse, string> = new Map([
  ["added", "is added"],
  ["subtracted", "is subtracted"],
  ["multiplied", "is multiplied"],
  ["divided", "is divided by"],
  ["exponent", "is an exponent"],
  ["table", "is looked up"],
  ["value", "is joined"],
]);

function byRule(
  tensor: Constant,
  { uses, declared, producer, isNode, isQuantized, read }: TensorFacts,
): readonly [OnnxUsage, string] {
  const { kind, shape, size } = tensor;
  const name = tensor.initializer!;
  const reason = (known: ReadonlyMap<TensorUse, string>) => [...known].find(([use]) => uses.has(use))?.[1] ?? null;
  const constant = (why: string) => ["constant", why] as const;
  const trained = (why: string) => ["trained", why] as const;
  if (uses.has("statistics")) return ["state", "running statistics"] as const;
  if (kind !== "float" && !isQuantized) return constant(kind === "integer" ? "integers" : "truth values");
  if (size === 0 || uses.size === 0) return constant("not used");
  if (declared !== null) return declared === "PARAMETER" ? trained("declared") : constant("declared a buffer");
  if (isBufferName(name)) return constant("name of a buffer");
  const fromNode = isConstantNodeName(name);
  const layer = reason(LAYER_USES);
  if (layer !== null && !(fromNode && layer === LAYER_USES.get("affine"))) {
    return isFilter(shape, read) ? constant("one filter for all channels") : trained(layer);
  }
  const fixed = reason(FIXED_USES) ?? (size === 1 ? reason(NUMBER_USES) : null);
  if (fixed !== null && !isParameterName(name)) return constant(fixed);
  const other = fixed === null ? reason(VALUE_USES) : "name of a parameter";
  if (other === null) return constant("setting");
  const isNumber = size === 1 && (isNode || !isOwnName(name, producer) || other === VALUE_USES.get("value"));
  if (fromNode || isNumber) return constant("number");
  const content = fixedContent(shape, read);
  return content === null ? trained(other) : constant(content);
}
