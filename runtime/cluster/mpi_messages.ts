/**
 * Messages between a rank's main thread and the thread that calls MPI. Arrays are in shared memory. Times are in ms on the
 * clock `performance.timeOrigin + performance.now()`, which threads share.
 *
 * @module
 */
import type { EmulatedNetwork } from "./emulated_network.ts";
import type { Launcher } from "./launcher.ts";

/** Settings of the thread. */
export interface MpiSetup {
  readonly launcher: Launcher;
  /** Seconds without a sign of life after which a rank counts as lost. */
  readonly silence: number;
  readonly network: EmulatedNetwork | null;
}

/** Work that all ranks request in the same order. */
export type MpiOperation =
  /** Adds the values of all ranks in place. */
  | { readonly do: "sum"; readonly values: Float32Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer> }
  /** Adds gradients in place, at the pace of the emulated network. */
  | { readonly do: "sum gradients"; readonly values: Float32Array<SharedArrayBuffer> }
  /** Replaces gradients by their means over the ranks. Their number is a multiple of the ranks'. */
  | { readonly do: "average f16"; readonly values: Float16Array<SharedArrayBuffer> }
  | { readonly do: "broadcast"; readonly bytes: Uint8Array<SharedArrayBuffer>; readonly root: number }
  /** Compares rank 0's clock with each rank's; `offsets` receives offset and uncertainty by rank, on rank 0 alone. */
  | { readonly do: "compare clocks"; readonly offsets: Float64Array<SharedArrayBuffer> }
  /** Waits for all ranks and leaves MPI. */
  | { readonly do: "leave" };

/** Times of an operation. */
export interface MpiTimes {
  /** The operation was started on this rank. */
  readonly posted: number;
  /** All ranks had started it. */
  readonly ready: number;
  readonly done: number;
}

export type MpiRequestMessage =
  | { readonly type: "open"; readonly setup: MpiSetup }
  | { readonly type: "run"; readonly id: number; readonly operation: MpiOperation };

export type MpiReply =
  | { readonly type: "opened"; readonly rank: number; readonly size: number }
  | { readonly type: "done"; readonly id: number; readonly times: MpiTimes }
  /** MPI failed. */
  | { readonly type: "failed"; readonly message: string }
  /** A rank has shown no sign of life for the time of silence. */
  | { readonly type: "lost"; readonly rank: number };
