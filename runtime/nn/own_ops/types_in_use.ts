import type { GraphBuilder } from "../../graph/op.ts";
import { opError } from "./problem.ts";

/** Key of a graph's own ops among the states of its layers. */
const KEY = {};

/**
 * Records that a graph uses an op of a script. Reports group by type, so that a graph has one op of each.
 *
 * @throws {InputError} if the graph uses another op of this type
 */
export function claimType(graph: GraphBuilder, type: string, op: object): void {
  const used = (graph.layerState.get(KEY) as Map<string, object> | undefined) ?? new Map<string, object>();
  const known = used.get(type);
  if (known !== undefined && known !== op) {
    throw opError(
      type,
      "this model uses two definitions of the type; call defineOp once, outside of functions that run more than once, " +
        "or choose another type for one of them",
    );
  }
  graph.layerState.set(KEY, used.set(type, op));
}
