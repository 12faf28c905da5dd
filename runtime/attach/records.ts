/**
 * Records of a program that uses WebGPU, as plain data: what its devices, pipelines, submits, waits and passes did.
 * Recorders write them in the order of events, so that a file with the first of them is a partial recording. Times are in
 * ms on the realm's `performance.now()` axis.
 *
 * @module
 */

/** Version of the records; readers refuse others. */
export const RECORDS_VERSION = 1;

/** Realm of the program itself, not of a worker. */
export const MAIN_REALM = "main";

/** Cumulative counts and times of a device, in the order in which {@linkcode CutRecord.totals} holds them. Times are in ms. */
export const TOTALS = [
  "submits",
  "encoders",
  "computePasses",
  "renderPasses",
  "dispatches",
  "timedDispatches",
  "waits",
  "reads",
  "readBytes",
  "uploads",
  "uploadBytes",
  "mappedUploads",
  "mappedUploadBytes",
  "copies",
  "copyBytes",
  "pipelines",
  "modules",
  "buffers",
  "bufferBytes",
  "buffersDestroyed",
  "textures",
  "bindGroups",
  "submitMs",
  "waitMs",
  "sleepMs",
  "uploadMs",
  "compileMs",
  "ownMs",
  "createMs",
  "roundTrips",
  "roundTripBytes",
] as const;

/** Name of a cumulative count or time. */
export type TotalName = (typeof TOTALS)[number];

/** Activities of the host's main thread. */
export const HOST_KINDS = [
  "encode",
  "submit",
  "upload",
  "read",
  "compile",
  "wait",
  "sleep",
  "own",
  "compiling",
] as const;

/**
 * Kind of a host interval. `own` is the recorder's reading of timestamps; `compiling` lasts until an asynchronous pipeline
 * is ready, while the host may do other things.
 */
export type HostKind = (typeof HOST_KINDS)[number];

/** Event that ends a stretch of a device's record. */
export type CutReason = "wait" | "submit" | "mark" | "step" | "end";

/** Beginning of a realm: the program or one of its workers. */
export interface StartRecord {
  readonly kind: "start";
  readonly version: number;
  /** {@linkcode MAIN_REALM}, or the worker's specifier. */
  readonly realm: string;
  readonly time: number;
  /** `performance.timeOrigin`, in ms since 1970. */
  readonly timeOrigin: number;
}

/** A device that the program requested. */
export interface DeviceRecord {
  readonly kind: "device";
  readonly device: number;
  readonly time: number;
  readonly label: string;
  readonly adapter: string;
  /** `program`: the program asked for timestamps; `added`: the recorder did; `none`: the device has none. */
  readonly timestamps: "program" | "added" | "none";
}

/** A shader module. */
export interface ModuleRecord {
  readonly kind: "module";
  readonly device: number;
  readonly time: number;
  readonly label: string;
  readonly hash: string;
  readonly entryPoints: readonly string[];
}

/** A pipeline. Compute pipelines with equal code, entry point, constants and label are one kernel. */
export interface PipelineRecord {
  readonly kind: "pipeline";
  readonly device: number;
  readonly time: number;
  readonly type: "compute" | "render";
  readonly async: boolean;
  /** Time in the call. */
  readonly callMs: number;
  /** Time until an asynchronous pipeline was ready; null for others. */
  readonly readyMs: number | null;
  /** Index of the kernel; null for render pipelines. */
  readonly kernel: number | null;
  /** Number of cuts of the device before it. */
  readonly cuts: number;
  readonly line: string | null;
}

/** A compute kernel, at its first pipeline. */
export interface KernelRecord {
  readonly kind: "kernel";
  readonly device: number;
  readonly kernel: number;
  readonly label: string;
  readonly entryPoint: string;
  readonly hash: string;
  /** Description of what the WGSL does. */
  readonly does: string;
  /** Source line of its first pipeline; null without call sites. */
  readonly line: string | null;
}

/** Kernel of a site whose pipeline was made before recording began. */
export const UNKNOWN_KERNEL = -1;

/** Kernel of a site that is a render pass. */
export const RENDER_PASS = -2;

/** A kernel with a grid, bound bytes and a source line, at its first timed dispatch. */
export interface SiteRecord {
  readonly kind: "site";
  readonly device: number;
  readonly site: number;
  /** Index of the kernel, {@linkcode UNKNOWN_KERNEL} or {@linkcode RENDER_PASS}. */
  readonly kernel: number;
  /** Workgroups; null for indirect dispatches. */
  readonly grid: readonly [number, number, number] | null;
  /** Bytes of the bound buffer ranges. */
  readonly bytes: number;
  /** Source line of the dispatch; null without call sites. */
  readonly line: string | null;
  /** Label of the pass. */
  readonly pass: string;
}

/** Timed passes, by column, in the order of execution. */
export interface PassesRecord {
  readonly kind: "passes";
  readonly device: number;
  readonly site: readonly number[];
  /** Index of the submit, from 0. */
  readonly submit: readonly number[];
  /** Copies and untimed passes in the encoder between the previous timed pass and this one. */
  readonly between: readonly number[];
  /** Begin and end in host ms; null if the timestamps are unusable. Equal if the pass was within one tick of the clock. */
  readonly begin: readonly (number | null)[];
  readonly end: readonly (number | null)[];
  /** Numbers of passes with defects, by name, where there are any. Passes with `zero` and `overlapping` are kept. */
  readonly defects: Readonly<Record<string, number>>;
  /** Step of the device's clock in ns; null if unknown. */
  readonly resolution: number | null;
}

/** A stretch between two cuts. */
export interface CutRecord {
  readonly kind: "cut";
  readonly device: number;
  readonly by: CutReason;
  /** Name of a mark; null for others. */
  readonly name: string | null;
  readonly start: number;
  readonly end: number;
  /** Hash of the kernels and render passes that the stretch submitted; 0 without any. */
  readonly symbol: number;
  /** Number of submits after the last wait for the device; their work may go on after the stretch. */
  readonly pending: number;
  /** Changes of the {@linkcode TOTALS} in the stretch. */
  readonly totals: readonly number[];
  /** Host intervals as triples of kind (an index into {@linkcode HOST_KINDS}), start and end; empty if it was not timed. */
  readonly host: readonly number[];
  /** Memory of the device at the end of the stretch, and its peak so far, in bytes. */
  readonly memory: number;
  readonly peak: number;
  /** Peak so far of the bytes that the program has not destroyed; missing in earlier recordings. */
  readonly keptPeak?: number;
  /** Numbers of the buffers that dispatches bind, each once; missing if the stretch was not timed. */
  readonly bound?: readonly number[];
}

/** Buffers of equal size, usage, label and source line. */
export interface BufferGroup {
  readonly label: string;
  readonly size: number;
  readonly usage: number;
  readonly line: string | null;
  readonly created: number;
  readonly destroyed: number;
  /** Never destroyed, and collected by the garbage collector. */
  readonly collected: number;
  /** Cuts before the creation of each buffer that was not destroyed, up to a limit. */
  readonly kept: readonly number[];
}

/** One of the largest buffers at the peak of memory. */
export interface PeakBuffer {
  readonly label: string;
  readonly size: number;
  readonly usage: number;
  readonly line: string | null;
  readonly created: number;
}

/** State of a device. A later state replaces an earlier one. */
export interface StateRecord {
  readonly kind: "state";
  readonly device: number;
  readonly time: number;
  readonly memory: number;
  readonly peak: number;
  readonly peakTime: number;
  readonly largest: readonly PeakBuffer[];
  readonly buffers: readonly BufferGroup[];
  /** Dispatches of each kernel so far, timed and untimed. */
  readonly calls: readonly number[];
  /** Submitted render passes so far by label, and how many of them carry the program's timestamps. */
  readonly renders: readonly { readonly pass: string; readonly count: number; readonly selfTimed: number }[];
  /** Dispatches without timestamps while timing was on, since all query sets were in use. */
  readonly unslotted: number;
  readonly nsPerTick: number;
  /** Largest error of a device time on the host's axis, in ms; null without a clock. */
  readonly clockError: number | null;
  /** Number of times that the device's clock wrapped around or was reset. */
  readonly clockResets: number;
}

/** An uncaptured error, or one that an error scope of the program returned. */
export interface ErrorRecord {
  readonly kind: "error";
  readonly device: number;
  readonly time: number;
  readonly type: string;
  readonly message: string;
  readonly scoped: boolean;
}

/** A lost device. */
export interface LostRecord {
  readonly kind: "lost";
  readonly device: number;
  readonly time: number;
  readonly reason: string;
  readonly message: string;
}

/** A performance mark or measure of the program. */
export interface MarkRecord {
  readonly kind: "mark";
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Something that limits the recording, for the report. */
export interface NoteRecord {
  readonly kind: "note";
  readonly text: string;
}

/** The page or worker of a browser that a realm is. */
export interface PageRecord {
  readonly kind: "page";
  readonly url: string;
  readonly userAgent: string;
  /** True if it is cross-origin isolated, so that WebAssembly may have several threads. */
  readonly isolated: boolean;
  /** True if its origin is secure, without which there is no WebGPU. */
  readonly secure: boolean;
  readonly hasWebGPU: boolean;
  /** Step of `performance.now()` in ms; null if unknown. */
  readonly clockStep: number | null;
}

/** What a page or worker loaded and compiled, and how long it blocked its thread. Times are in ms. */
export interface LoadRecord {
  readonly kind: "load";
  /** Downloads of the performance timeline, the time in which one was under way, and their bytes once decoded. */
  readonly downloads: number;
  readonly downloadMs: number;
  readonly downloadBytes: number;
  /** Downloads that came from a cache. */
  readonly cached: number;
  /** Compilations and instantiations of WebAssembly, and the sum of their times. */
  readonly wasm: number;
  readonly wasmMs: number;
  /** Memory of WebAssembly, in bytes. */
  readonly wasmBytes: number;
  /** Tasks of more than 50 ms, in which the page did not react. */
  readonly longTasks: number;
  readonly longTaskMs: number;
  readonly longestTaskMs: number;
  /** JavaScript's heap in bytes; null where the browser does not tell. */
  readonly heapBytes: number | null;
}

/** The browser of a page, as the tool that started it or connected to it knows it. */
export interface BrowserRecord {
  readonly kind: "browser";
  readonly product: string;
  /** Flags that the tool gave it, which change what pages see or how they are measured. */
  readonly flags: readonly string[];
  /** True if it was running already. */
  readonly connected: boolean;
}

/** End of a realm; missing if it was killed. */
export interface EndRecord {
  readonly kind: "end";
  readonly time: number;
}

/** Any record. */
export type AttachRecord =
  | StartRecord
  | DeviceRecord
  | ModuleRecord
  | PipelineRecord
  | KernelRecord
  | SiteRecord
  | PassesRecord
  | CutRecord
  | StateRecord
  | ErrorRecord
  | LostRecord
  | MarkRecord
  | NoteRecord
  | PageRecord
  | LoadRecord
  | BrowserRecord
  | EndRecord;

/** Receives records. */
export interface RecordSink {
  write(record: AttachRecord): void;
  /** Called where the program waits for the device, and at its end. */
  flush(isEnd: boolean): void;
}
