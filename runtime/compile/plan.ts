/**
 * A plan: everything about a variant's step that can be known without a device, as plain data. The engine makes it real.
 *
 * @module
 */
import type { KernelSpec } from "../device/kernel.ts";
import type { OpFacts } from "../graph/op.ts";
import type { Initializer, TensorType } from "../graph/types.ts";
import type { FloatType } from "../core/dtype.ts";

/** Buffers that outlive a step, by what they hold; `batch.NAME` holds a field of the batch. */
export type PersistentBuffer =
  | "parameters"
  | "gradients"
  | `optimizer${number}`
  | "state"
  | "step"
  | "lossRing"
  | "gradientTable"
  | "output"
  | `batch.${string}`;

/** A range of a buffer; `slot` is one of the plan's activation slots. Offsets and sizes in bytes. */
export interface Location {
  readonly buffer: PersistentBuffer | { readonly slot: number };
  readonly offset: number;
  readonly size: number;
}

/** One dispatch with what it binds, in the kernel's order. */
export interface Dispatch {
  readonly kernel: KernelSpec;
  readonly bindings: readonly Location[];
  readonly nodeId: string;
  readonly layer: string;
  readonly opType: string;
}

/** Dispatches that are timed as one pass. A phase may have several segments, which its times sum. */
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

/** Tensors that stay, packed: parameters (gradients and optimizer state have the same arrangement) or running state. */
export interface ArenaLayout {
  readonly entries: readonly ArenaEntry[];
  readonly bytes: number;
  readonly dtype: FloatType;
}

/** Planned device memory in bytes. */
export interface MemoryUse {
  /** Everything that is resident at once. */
  readonly peak: number;
  /** Weights and running statistics. */
  readonly parameters: number;
  readonly gradients: number;
  readonly optimizer: number;
  /** Slots for the outputs of ops and their gradients, shared by liveness. */
  readonly activations: number;
  /** Slots that only kernels' scratch memory uses, and the step's bookkeeping. */
  readonly workspace: number;
  /** Batches on the device: the one in work and those staged. */
  readonly feed: number;
}

/** A node as reports show it. */
export interface PlannedNode extends OpFacts {
  readonly id: string;
  readonly layer: string;
  readonly type: string;
  readonly phase: string;
  readonly kernel: string;
  /** Ids of the nodes that a fused one stands for; empty for others. */
  readonly members: readonly string[];
  readonly inputs: readonly TensorType[];
  readonly outputs: readonly TensorType[];
  readonly flops: number;
  readonly bytes: number;
  /** Bytes that are in use while it runs: outputs of ops that are still needed, and scratch memory. */
  readonly live: { readonly activations: number; readonly workspace: number };
  /** An output takes the place of an input. */
  readonly inPlace: boolean;
  /** The user's range that it belongs to. */
  readonly range: string | null;
}

export interface Plan {
  readonly mode: "train" | "infer";
  /** Identity of what is computed: graph, kernels, adapter class. Equal fingerprints and seeds give equal losses. */
  readonly fingerprint: string;
  readonly segments: readonly Segment[];
  readonly nodes: readonly PlannedNode[];
  /** Bytes of each activation slot, largest first. */
  readonly slots: readonly number[];
  readonly slotUse: { readonly activations: number; readonly workspace: number };
  readonly parameters: ArenaLayout;
  readonly state: ArenaLayout;
  /** Bytes of each tensor of the optimizer's state. */
  readonly optimizerStates: readonly number[];
  /** Valid elements of each 256-byte block of gradients, where overflows are looked for. */
  readonly gradientTable: Uint32Array<ArrayBuffer> | null;
  /** Fields of the batch that a step reads, by name. */
  readonly inputs: Readonly<Record<string, TensorType>>;
  /** A step ends in a loss, and in an update of the step state. */
  readonly hasLoss: boolean;
  /**
   * Places of f32 results in the `output` buffer: what the model returns as `output` where a plan has no loss; in a plan
   * for evaluation the `loss` of each sample, and whether it is `correct`, 1 or 0.
   */
  readonly outputs: Readonly<Record<string, Location>>;
  /** What the model returns. */
  readonly output: TensorType;
  /** Floating-point operations of a step by phase; a multiply-add counts as two. */
  readonly flops: Readonly<Record<string, number>>;
}
