/**
 * A plan: a compiled step as plain data, independent of a device. The engine's executor allocates and runs it.
 *
 * @module
 */
import type { KernelSpec } from "../device/kernel.ts";
import type { Node, OpFacts } from "../graph/op.ts";
import type { Initializer, TensorType } from "../graph/types.ts";
import type { FloatType } from "../core/dtype.ts";
import type { RangeEntry } from "../core/range.ts";

/** Buffers that outlive a step, named for their contents. `batch.NAME` holds a field of the batch. */
export type PersistentBuffer =
  | "parameters"
  | "gradients"
  | "microGradients"
  | `optimizer${number}`
  | "state"
  | "step"
  | "lossRing"
  | "gradientTable"
  | "normPartials"
  | "averages"
  | "averagesCopy"
  | "output"
  | `batch.${string}`;

/** A range of a buffer or of one of the plan's activation slots. Offset and size are in bytes. */
export interface Location {
  readonly buffer: PersistentBuffer | { readonly slot: number };
  readonly offset: number;
  readonly size: number;
}

/** One dispatch and its bindings, in the kernel's order. */
export interface Dispatch {
  readonly kernel: KernelSpec;
  readonly bindings: readonly Location[];
  readonly nodeId: string;
  readonly layer: string;
  readonly opType: string;
}

/** Dispatches that are timed as one pass. The time of a phase is the sum over its segments. */
export interface Segment {
  /** Name of the phase (`record/phases.ts`). */
  readonly phase: string;
  readonly dispatches: readonly Dispatch[];
}

/** A named tensor in an arena. */
export interface ArenaEntry {
  readonly name: string;
  readonly type: TensorType;
  readonly initializer: Initializer;
  readonly offset: number;
  readonly size: number;
}

/**
 * Packed tensors that outlive a step: parameters, whose layout gradients and optimizer state share, or running state.
 */
export interface ArenaLayout {
  readonly entries: readonly ArenaEntry[];
  readonly bytes: number;
  readonly dtype: FloatType;
}

/** Planned device memory in bytes. */
export interface MemoryUse {
  /** Sum of all parts. */
  readonly peak: number;
  /** Weights and running statistics. */
  readonly parameters: number;
  readonly gradients: number;
  readonly optimizer: number;
  /** Slots for outputs of ops and their gradients. Tensors that are not needed at the same time share a slot. */
  readonly activations: number;
  /** Slots that hold only scratch memory of kernels, and the step's bookkeeping. */
  readonly workspace: number;
  /** Batches on the device: the current one and the staged ones. */
  readonly feed: number;
}

/** A node of the compiled graph with its tensors' places in memory. */
export interface PlacedNode {
  readonly node: Node;
  /** Locations of its inputs, valid until it runs: it may overwrite one. */
  readonly inputs: readonly Location[];
  /** Locations of its outputs, valid once it has run, until a later node takes the slot. */
  readonly outputs: readonly Location[];
}

/** A node of a plan, as reports show it. */
export interface PlannedNode extends OpFacts {
  readonly id: string;
  readonly layer: string;
  readonly type: string;
  readonly phase: string;
  readonly kernel: string;
  /** IDs of the nodes that a fused node replaces; empty for other nodes. */
  readonly members: readonly string[];
  readonly inputs: readonly TensorType[];
  readonly outputs: readonly TensorType[];
  readonly flops: number;
  readonly bytes: number;
  /** Bytes in use while the node runs: outputs that are still needed, and scratch memory. */
  readonly live: { readonly activations: number; readonly workspace: number };
  /** True if an output overwrites an input. */
  readonly inPlace: boolean;
  /** True for a copy of a forward node that the backward pass computes again; absent on others. */
  readonly recomputed?: true;
  /** The user's range that the node belongs to. */
  readonly range: RangeEntry | null;
  /** Absent on work of the update, which no graph has. */
  readonly placed?: PlacedNode;
}

/** Work of a step that profiles also run alone, to time it. It changes nothing that a step reads. */
export interface ExtraWork {
  readonly node: PlannedNode;
  readonly dispatches: readonly Dispatch[];
}

/** Embedding that a field of the batch is looked up in. */
export interface IndexLimit {
  readonly layer: string;
  /** Smallest index: 0, or `-rows` if negative ones count from the end. */
  readonly least: number;
  /** Rows of its table: the largest index is `rows - 1`. */
  readonly rows: number;
}

/** A compiled step. */
export interface Plan {
  readonly mode: "train" | "infer";
  /**
   * Hash of graph, kernels and adapter class, computed when it is first read. Plans with equal fingerprints and seeds
   * compute equal losses.
   */
  readonly fingerprint: string;
  readonly segments: readonly Segment[];
  /** Micro-batches of a step: all segments but the update run for each of them. */
  readonly accumulate: number;
  readonly nodes: readonly PlannedNode[];
  /** Weight decay alone, which the update includes; null without weight decay. */
  readonly decay: ExtraWork | null;
  /** Bytes of each activation slot, largest first. */
  readonly slots: readonly number[];
  readonly slotUse: { readonly activations: number; readonly workspace: number };
  readonly parameters: ArenaLayout;
  readonly state: ArenaLayout;
  /** Bytes of the step state. */
  readonly stepBytes: number;
  /** Bytes of each tensor of the optimizer's state. */
  readonly optimizerStates: readonly number[];
  /** Valid elements of each 256-byte block of gradients, for the overflow test and the norm; null without both. */
  readonly gradientTable: Uint32Array<ArrayBuffer> | null;
  /** Bytes of the partial sums of the norm of gradients; 0 without clipping. */
  readonly clipBytes: number;
  /** Bytes of the moving averages of the parameters in f32; 0 without averages. */
  readonly averageBytes: number;
  /** Fields of the batch that a step reads. */
  readonly inputs: Readonly<Record<string, TensorType>>;
  /** Fields whose numbers are rows of an embedding. */
  readonly indices: Readonly<Record<string, IndexLimit>>;
  /** True if a step computes a loss and updates the step state. */
  readonly hasLoss: boolean;
  /**
   * Locations of f32 results in the `output` buffer: in an inference plan the model's `output`; in an evaluation plan
   * the `loss` of each sample, and whether the sample is `correct` (1 or 0).
   */
  readonly outputs: Readonly<Record<string, Location>>;
  /** Type of the model's output. */
  readonly output: TensorType;
  /** Floating-point operations of a step by phase, over all its micro-batches; a multiply-add counts as two. */
  readonly flops: Readonly<Record<string, number>>;
}

/** Returns how often the dispatches of a phase run in a step: for each micro-batch, but the update once. */
export function runsPerStep({ accumulate }: Pick<Plan, "accumulate">, phase: string): number {
  return phase === "update" ? 1 : accumulate;
}
