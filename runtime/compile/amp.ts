import { cast } from "../../ops/cast.ts";
import { type FloatType, isFloat } from "../core/dtype.ts";
import { type LeafAttrs, leafAttrs } from "../graph/leaf.ts";
import type { Node, Tensor } from "../graph/op.ts";
import { type AmpLevel, DATA_TYPES, STORED_TYPES } from "../scenario/amp_levels.ts";
import { type Program, rewriteProgram } from "./rewrite.ts";

/**
 * Casts the inputs of each node to the precision of the level. In O3 parameters and running statistics are f16
 * themselves; below, weights are f32 and cast where they are used, and batch norm reads its own in f32.
 *
 * @param kept ids of nodes that stay in f32, and with them what they were fused into
 */
export function applyAmp(program: Program, level: AmpLevel, kept: ReadonlySet<string>): Program {
  if (level === "O0") return program;
  const casts = new Map<Tensor, Tensor>();
  const castOnce = (tensor: Tensor, dtype: FloatType): Tensor => {
    if (!isFloat(tensor.dtype) || tensor.dtype === dtype) return tensor;
    const known = casts.get(tensor);
    if (known !== undefined) return known;
    const made = tensor.graph.inLayer(`${tensor.node.id}.cast`, () => cast(tensor, dtype));
    casts.set(tensor, made);
    return made;
  };
  return rewriteProgram(
    program,
    (node, inputs, target) => {
      const dtype = [node.id, ...node.members ?? []].some((id) => kept.has(id))
        ? "f32"
        : DATA_TYPES[level][node.op.precision];
      if (dtype === null) return null;
      return target.replay(node, inputs().map((input, i) => takesAsIs(node, i) ? input : castOnce(input, dtype)));
    },
    (attrs) => isTrained(attrs) ? { ...attrs.type, dtype: STORED_TYPES[level] } : attrs.type,
  );
}

/** Ids of the nodes that `names` keep in f32: layers (by id or beginning of the id) and op types. */
export function keptNodes(program: Program, names: readonly string[]): Set<string> {
  return new Set(computedNodes(program).filter((node) => keeps(node, names)).map((node) => node.id));
}

/** Names of `keepF32` that match nothing in the program; a typing mistake, most likely. */
export function unmatchedKeepF32(program: Program, keepF32: readonly string[]): string[] {
  return keepF32.filter((name) => !computedNodes(program).some((node) => keeps(node, [name])));
}

function computedNodes({ graph }: Program): Node[] {
  return graph.nodes.filter((node) => leafAttrs({ node } as Tensor) === null);
}

function keeps(node: Node, names: readonly string[]): boolean {
  return names.some((name) => node.op.type === name || node.id === name || node.id.startsWith(`${name}.`));
}

/** Normalization reads its parameters and statistics, and a loss its targets, in the type that they are stored in. */
function takesAsIs(node: Node, index: number): boolean {
  const kind = leafAttrs(node.inputs[index]!)?.kind;
  if (node.op.precision === "normalize") return kind === "parameter" || kind === "state";
  return kind === "stepState" || (node.op.precision === "loss" && kind === "input");
}

function isTrained(attrs: LeafAttrs): boolean {
  return (attrs.kind === "parameter" || attrs.kind === "state") && isFloat(attrs.type.dtype);
}
