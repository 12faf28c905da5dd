import type { OpDef } from "./op.ts";
import type { Tensor } from "./tensor.ts";
import type { TensorType } from "./types.ts";

/** The part of a step in which a node runs. */
export type Phase = "forward" | "backward";

/** An applied operation. */
export interface Node<A = unknown> {
  /** Path from the scopes, unique in its graph and the same in every build of it, such as `layer1.0.conv1`. */
  readonly id: string;
  /** The layer it belongs to: the id of the forward node that a gradient is for, or its own. */
  readonly layer: string;
  readonly op: OpDef<A>;
  readonly attrs: A;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly TensorType[];
  readonly phase: Phase;
  /** The user's range it was written in, see `core/range.ts`. */
  readonly range?: string;
  /** Ids of the nodes that a fused one stands for. */
  readonly members?: readonly string[];
}
