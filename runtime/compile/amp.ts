import { cast } from "../../ops/cast.ts";
import { type FloatType, isFloat } from "../core/dtype.ts";
import { type LeafAttrs, leafAttrs } from "../graph/leaf.ts";
import type { Node, Tensor } from "../graph/op.ts";
import { type AmpLevel, DATA_TYPES, STORED_TYPES } from "../scenario/amp_levels.ts";
import { type Program, rewriteProgram } from "./rewrite.ts";

/**
 * Casts the inputs of each node to the precision of the AMP level. In O3, parameters and running statistics are stored
 * in f16. In O1 and O2 they are stored in f32: weights are cast where they are used, and batch norm reads its
 * parameters in f32. A loss in code is computed in f32 up to O2, except its products, and is always stored in f32.
 *
 * @param kept IDs of the nodes that stay in f32; a fused node stays in f32 if one of its members does
 */
export function applyAmp(program: Program, level: AmpLevel, kept: ReadonlySet<string>): Program {
  if (level === "O0") return program;
  const casts = new Map<Tensor, Tensor>();
  /** Casts a tensor for its first reader, in whose range it is. */
  const castOnce = (tensor: Tensor, dtype: FloatType, reader: Pick<Node, "range">): Tensor => {
    if (!isFloat(tensor.dtype) || tensor.dtype === dtype) return tensor;
    const known = casts.get(tensor);
    if (known !== undefined) return known;
    const made = tensor.graph.inLayer(`${tensor.node.id}.cast`, () => cast(tensor, dtype), reader.range);
    casts.set(tensor, made);
    return made;
  };
  const ofLoss = lossNodes(program);
  const made = rewriteProgram(
    program,
    (node, inputs, target) => {
      const dtype = [node, ...node.members ?? []].some(({ id }) => kept.has(id))
        ? "f32"
        : DATA_TYPES[level][ofLoss.has(node) && node.op.precision === "follow" ? "loss" : node.op.precision];
      if (dtype === null) return null;
      return target.replay(node, inputs().map((input, i) => takesAsIs(node, i) ? input : castOnce(input, dtype, node)));
    },
    (attrs) => isTrained(attrs) ? { ...attrs.type, dtype: STORED_TYPES[level] } : attrs.type,
  );
  return made.loss === null ? made : { ...made, loss: castOnce(made.loss, "f32", made.loss.node) };
}

/** Returns the nodes that the loss depends on and the model's output does not. */
function lossNodes({ output, loss }: Program): Set<Node> {
  const ofModel = new Set<Node>();
  addWithInputs(output.node, ofModel, ofModel);
  const found = new Set<Node>();
  if (loss !== null) addWithInputs(loss.node, found, ofModel);
  return found;
}

/** Adds a node and all that it depends on to `to`, without what is in `except`. */
function addWithInputs(node: Node, to: Set<Node>, except: ReadonlySet<Node>): void {
  const left = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (to.has(next) || except.has(next)) continue;
    to.add(next);
    left.push(...next.inputs.map((input) => input.node));
  }
}

/**
 * Returns the IDs of the nodes that `names` keep in f32. A name is an op type, a node ID, or a scope that contains
 * nodes.
 */
export function keptNodes(program: Program, names: readonly string[]): Set<string> {
  return new Set(computedNodes(program).filter((node) => keeps(node, names)).map((node) => node.id));
}

/** Returns the names in `keepF32` that match no node, most likely because of a typo. */
export function unmatchedKeepF32(program: Program, keepF32: readonly string[]): string[] {
  return keepF32.filter((name) => !computedNodes(program).some((node) => keeps(node, [name])));
}

function computedNodes({ graph }: Program): Node[] {
  return graph.nodes.filter((node) => leafAttrs({ node } as Tensor) === null);
}

function keeps(node: Node, names: readonly string[]): boolean {
  return names.some((name) => node.op.type === name || node.id === name || node.id.startsWith(`${name}.`));
}

/**
 * Returns true for inputs that are read in their stored type: parameters and statistics of norms, targets of losses.
 */
function takesAsIs(node: Node, index: number): boolean {
  const kind = leafAttrs(node.inputs[index]!)?.kind;
  if (node.op.precision === "normalize") return kind === "parameter" || kind === "state";
  return kind === "stepState" || (node.op.precision === "loss" && kind === "input");
}

function isTrained(attrs: LeafAttrs): boolean {
  return (attrs.kind === "parameter" || attrs.kind === "state") && isFloat(attrs.type.dtype);
}
