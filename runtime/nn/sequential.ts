import { InputError } from "../core/errors.ts";
import { readable } from "../core/readable.ts";
import { clipped } from "../core/shown.ts";
import { filesOf, type Layer, type MarkedLayer, markedLayer } from "./layer.ts";
import { applyChild, checkChild } from "./scope.ts";

/**
 * Applies layers one after another. Arguments are named `0`, `1`, ...; a record names its layers.
 *
 * @example
 * ```ts
 * import { batchNorm, conv2d, relu, sequential } from "@tacho/tacho";
 *
 * const stem = sequential({ conv1: conv2d(16, { kernel: 3 }), bn1: batchNorm(), relu: relu() });
 * const numbered = sequential(conv2d(16, { kernel: 3 }), relu());
 * ```
 *
 * @throws {InputError} if a child is not a layer, or a name is a number, whose order records do not keep
 */
export function sequential(...layers: Layer[]): MarkedLayer;
/** Applies the layers of a record one after another, in the order of its keys. */
export function sequential(layers: Readonly<Record<string, Layer>>): MarkedLayer;
export function sequential(...given: (Layer | Readonly<Record<string, Layer>>)[]): MarkedLayer {
  const children = childrenOf(given);
  for (const [name, child] of children) checkChild("sequential", name, child);
  return markedLayer(
    { type: "sequential", leaf: false, ...filesOf(children.map(([, child]) => child)) },
    (x) => children.reduce((y, [name, child]) => applyChild(name, child, y), x),
  );
}

function childrenOf(given: (Layer | Readonly<Record<string, Layer>>)[]): [string, Layer][] {
  const [first] = readable(given, "sequential");
  if (given.length !== 1 || typeof first !== "object" || first === null || Array.isArray(first)) {
    return given.map((child, i) => [String(i), child as Layer]);
  }
  const children = Object.entries(first);
  const numbered = children.find(([name]) => /^\d+$/.test(name));
  if (numbered !== undefined) {
    throw new InputError(
      `sequential: a record does not keep the order of numbers such as "${clipped(numbered[0])}"; ` +
        `pass the layers as arguments, sequential(a, b), to number them`,
    );
  }
  return children;
}
