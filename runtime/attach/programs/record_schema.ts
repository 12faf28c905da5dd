import { z } from "zod";
import { parseFirst, parseJson } from "../../core/strangers_json.ts";
import { type AttachRecord, HOST_KINDS, TOTALS } from "../records.ts";

/** Largest number of submits in a stretch, and in a recording; the analysis looks at each. */
const MAX_SUBMITS = { stretch: 1e6, recording: 2e7 } as const;

const number = z.number();
const text = z.string();
const index = z.int().min(0).max(1e7);
const count = z.int().min(0);
const line = z.string().nullable();
const time = { device: index, time: number };
const buffer = { label: text, size: number, usage: count, line };

/** Records as other programs write them. Fields of later versions are left out. */
const recordSchema: z.ZodType<AttachRecord> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("start"), version: number, realm: text, time: number, timeOrigin: number }),
  z.object({
    ...{ kind: z.literal("device"), ...time, label: text, adapter: text },
    timestamps: z.enum(["program", "added", "none"]),
  }),
  z.object({ kind: z.literal("module"), ...time, label: text, hash: text, entryPoints: z.array(text) }),
  z.object({
    ...{ kind: z.literal("pipeline"), ...time, type: z.enum(["compute", "render"]), async: z.boolean() },
    ...{ callMs: number, readyMs: number.nullable(), kernel: index.nullable(), cuts: index, line },
  }),
  z.object({
    ...{ kind: z.literal("kernel"), device: index, kernel: index, label: text, entryPoint: text, hash: text },
    ...{ does: text, line },
  }),
  z.object({
    ...{ kind: z.literal("site"), device: index, site: index, kernel: z.int().min(-2).max(1e7) },
    ...{ grid: z.tuple([count, count, count]).nullable(), bytes: number, line, pass: text },
  }),
  z.object({
    ...{ kind: z.literal("passes"), device: index, site: z.array(index), submit: z.array(index) },
    ...{ between: z.array(count), begin: z.array(number.nullable()), end: z.array(number.nullable()) },
    ...{ defects: z.record(text, number), resolution: number.nullable() },
  }),
  z.object({
    ...{ kind: z.literal("cut"), device: index, by: z.enum(["wait", "submit", "mark", "step", "end"]), name: line },
    ...{ start: number, end: number, symbol: number, pending: count, memory: number, peak: number },
    totals: z.array(number.min(0)).max(TOTALS.length).refine(([submits = 0]) => submits <= MAX_SUBMITS.stretch),
    host: z.array(number).refine((host) => host.every((kind, i) => i % 3 > 0 || HOST_KINDS[kind] !== undefined)),
    keptPeak: number.exactOptional(),
    bound: z.array(index).exactOptional(),
  }),
  z.object({
    ...{ kind: z.literal("state"), ...time, memory: number, peak: number, peakTime: number },
    largest: z.array(z.object({ ...buffer, created: number })),
    buffers: z.array(
      z.object({ ...buffer, created: count, destroyed: count, collected: count, kept: z.array(index) }),
    ),
    calls: z.array(count),
    renders: z.array(z.object({ pass: text, count, selfTimed: count })),
    ...{ unslotted: count, nsPerTick: number, clockError: number.nullable(), clockResets: count },
  }),
  z.object({ kind: z.literal("error"), ...time, type: text, message: text, scoped: z.boolean() }),
  z.object({ kind: z.literal("lost"), ...time, reason: text, message: text }),
  z.object({ kind: z.literal("mark"), name: text, start: number, end: number }),
  z.object({ kind: z.literal("note"), text }),
  z.object({
    ...{ kind: z.literal("page"), url: text, userAgent: text, isolated: z.boolean(), secure: z.boolean() },
    ...{ hasWebGPU: z.boolean(), clockStep: number.nullable() },
  }),
  z.object({
    ...{ kind: z.literal("load"), downloads: count, downloadMs: number, downloadBytes: number, cached: count },
    ...{ wasm: count, wasmMs: number, wasmBytes: number, longTasks: count, longTaskMs: number, longestTaskMs: number },
    heapBytes: number.nullable(),
  }),
  z.object({ kind: z.literal("browser"), product: text, flags: z.array(text), connected: z.boolean() }),
  z.object({ kind: z.literal("end"), time: number }),
]);

/**
 * Reads records that others may have written, one JSON object a line. They count up to the first that is none, or refers to
 * one that is missing. A file may hold those of several realms, one after another.
 */
export function parseRecords(content: string): AttachRecord[][] {
  const realms: AttachRecord[][] = [];
  let references = new References();
  for (const line of content.split("\n")) {
    if (line === "") continue;
    let record: AttachRecord;
    try {
      record = parseFirst(recordSchema, parseJson(line));
    } catch {
      break;
    }
    if (record.kind === "start") {
      references = new References();
      realms.push([]);
    }
    if (realms.length === 0 || !references.hold(record)) break;
    realms.at(-1)!.push(record);
  }
  return realms;
}

/** What the records of a realm have defined so far. */
class References {
  readonly #devices: { kernels: number; sites: number }[] = [];
  #submits = 0;

  /** Takes a record. Returns false if it refers to what is not defined, or makes the recording endless. */
  hold(record: AttachRecord): boolean {
    if (record.kind === "device") return this.#devices.push({ kernels: 0, sites: 0 }) === record.device + 1;
    if (!("device" in record)) return true;
    const device = this.#devices[record.device];
    if (device === undefined) return false;
    const columns = record.kind === "passes"
      ? [record.submit, record.between, record.begin, record.end].every(({ length }) => length === record.site.length)
      : true;
    switch (record.kind) {
      case "kernel":
        return record.kernel === device.kernels++;
      case "site":
        return record.site === device.sites++ && record.kernel < device.kernels;
      case "pipeline":
        return record.kernel === null || record.kernel < device.kernels;
      case "passes":
        return columns && record.site.every((site) => site < device.sites);
      case "cut":
        return (this.#submits += record.totals[0] ?? 0) <= MAX_SUBMITS.recording;
      default:
        return true;
    }
  }
}
