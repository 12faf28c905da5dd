import { RECORDS_VERSION, type RecordSink } from "./records.ts";
import type { RecorderSettings } from "./settings.ts";

/** Data that the host writes to a buffer or a texture. The bytes are valid only during the call. */
export type WrittenContents =
  | { readonly buffer: GPUBuffer; readonly offset: number; readonly bytes: Uint8Array }
  | {
    readonly texture: GPUTexelCopyTextureInfo;
    readonly layout: GPUTexelCopyBufferLayout;
    readonly size: GPUExtent3D;
    readonly bytes: Uint8Array;
  };

/** Sees the contents that cross between host and device, in the order of the program. It throws nothing. */
export interface ContentTap {
  /** Called after a buffer or texture was created. */
  create(resource: GPUBuffer | GPUTexture): void;
  /** Called after a write of the queue, and before a range that was mapped for writing is unmapped. */
  write(written: WrittenContents): void;
  /** Called when the program gets a range that was mapped for reading. The bytes are valid during the call only. */
  read(buffer: GPUBuffer, offset: number, bytes: Uint8Array): void;
}

/** Environment of a recorder: a program in Deno or Node, a page, or a worker of theirs. */
export interface Realm {
  readonly sink: RecordSink;
  /** Returns the current time in ms, on the axis of the records. */
  readonly now: () => number;
  /** True if a wait for the device blocks in its call, as in Deno; false if only its promise shows its end. */
  readonly waitsBlock: boolean;
  /**
   * Gate at the end of each step. The program continues when it returns.
   *
   * @param queue queue of the step's device
   * @param pending submits since the last wait for the device
   */
  readonly onStep?: (queue: GPUQueue, pending: number) => void;
  readonly tap?: ContentTap;
}

/** Settings of a recorder and the realm that it runs in. */
export interface Recording {
  readonly settings: RecorderSettings;
  readonly realm: Realm;
}

/** Writes the first record of a realm. */
export function beginRecords({ sink, now }: Pick<Realm, "sink" | "now">, name: string): void {
  sink.write({ kind: "start", version: RECORDS_VERSION, realm: name, time: now(), timeOrigin: performance.timeOrigin });
}
