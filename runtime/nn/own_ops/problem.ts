import { InputError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { reasonOf } from "../../core/shown.ts";
import type { GraphBuilder } from "../../graph/op.ts";

/** Creates an error about an op that a script defines. */
export function opError(type: string, message: string, cause?: unknown): InputError {
  return new InputError(`op "${type}": ${message}`, cause === undefined ? {} : { cause });
}

/**
 * Runs a function of an op's definition.
 *
 * @param what name of the function in the message
 * @throws {InputError} naming the op and the function, if it throws
 */
export function attempt<T>(type: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    // An op that the function applies has already named itself
    if (isInstance(error, InputError) && error.message.includes('op "')) throw error;
    throw opError(type, `${what}: ${reasonOf(error)}`, error);
  }
}

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
