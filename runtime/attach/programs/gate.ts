/**
 * Holds the program that Deno runs after this module between blocks of steps: `deno run --preload gate.ts?... program.ts`.
 * Steps are found as by `tacho attach`. Nothing is timed on the device unless the steps are to be profiled. See `protocol.ts`
 * for the messages.
 *
 * @module
 */
import { fileRealm } from "../deno/file_realm.ts";
import { openRecords } from "../deno/open_records.ts";
import { install } from "../install.ts";
import { native, now } from "../native.ts";
import { beginRecords, type Realm } from "../realm.ts";
import { type AttachRecord, MAIN_REALM, type RecordSink, type TotalName, TOTALS } from "../records.ts";
import { Registry } from "../registry.ts";
import { isStepName } from "../settings.ts";
import { encodeOutput, LARGEST_OUTPUT } from "./output_value.ts";
import {
  type Loss,
  type ProgramDevice,
  type ProgramEvent,
  readGateSettings,
  type StartFacts,
  type Work,
} from "./protocol.ts";

/** Name of the mark with an output of the program. */
const OUTPUT_MARK = "output";

/** Time between signs of life, in ms. */
const INTERVAL = 200;

/** Time between looks at the parent process of a program that takes no step, in ms. */
const PARENT_INTERVAL = 1000;

/** Holds a program at the ends of its steps. */
class Gate {
  readonly #file: Deno.FsFile;
  readonly #deviceOf: (queue: GPUQueue) => ProgramDevice | null;
  /** Queue whose steps are counted: that of the first device with steps; null in a program without a device. */
  #queue: GPUQueue | null = null;
  /** Steps to run until the next hold. */
  #granted = 0;
  #began = 0;
  #reportedAt = 0;
  #times: number[] = [];
  #losses: (Loss | null)[] = [];
  #loss: Loss | null = null;
  #outputs = 0;
  readonly #end: () => void;

  /** @param end called before the gate ends the program */
  constructor(events: string, deviceOf: (queue: GPUQueue) => ProgramDevice | null, end: () => void) {
    this.#file = openRecords(events);
    this.#deviceOf = deviceOf;
    this.#end = end;
  }

  /** Takes the loss that a mark of the program carries. */
  readLoss(detail: unknown): void {
    const loss: unknown = typeof detail === "object" && detail !== null && "loss" in detail ? detail.loss : null;
    if (typeof loss === "number") this.#loss = Number.isFinite(loss) ? loss : String(loss) as Loss;
  }

  /** Reports what the program has computed. Later outputs of many are not compared. */
  output(detail: unknown): void {
    if (this.#outputs >= LARGEST_OUTPUT.outputs) return;
    const encoded = encodeOutput(detail);
    if (encoded === null) return;
    this.#outputs++;
    this.#write({ kind: "output", ...encoded });
  }

  /** Ends a step, and holds the program if it was the last of a block. `queue` is null without a device. */
  step(queue: GPUQueue | null): void {
    endWithParent();
    this.#queue ??= queue;
    if (queue !== this.#queue) return;
    const isFirst = this.#granted === 0;
    const isLast = this.#times.length + 1 >= this.#granted;
    // The call returns once the device is done
    if (isLast && queue !== null) void native.onSubmittedWorkDone.call(queue);
    const end = now();
    if (!isFirst) this.#times.push(end - this.#began);
    this.#losses.push(this.#loss);
    this.#loss = null;
    this.#began = end;
    if (isLast) this.#hold(queue);
    else if (end - this.#reportedAt > INTERVAL) {
      this.#reportedAt = end;
      this.#write({ kind: "steps", done: this.#times.length });
    }
  }

  /** Reports that a device was lost: nothing that the program submits runs from then on. */
  lost(queue: GPUQueue, { reason, message }: GPUDeviceLostInfo): void {
    if (queue === this.#queue) this.#write({ kind: "lost", reason, message });
  }

  #hold(queue: GPUQueue | null): void {
    const device = this.#granted === 0 && queue !== null ? this.#deviceOf(queue) : null;
    const start = this.#granted === 0 ? starting.facts : null;
    const end = performance.timeOrigin + this.#began;
    const done = work.take();
    const held = { device, times: this.#times, losses: this.#losses, work: queue === null ? null : done, end, start };
    this.#write({ kind: "held", ...held });
    const granted = readNumber();
    if (granted === null) {
      this.#end();
      Deno.exit(0);
    }
    this.#granted = granted;
    this.#times = [];
    this.#losses = [];
    this.#began = this.#reportedAt = now();
  }

  #write(event: ProgramEvent): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(event)}\n`);
    for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
  }
}

/** Copies the members that an object of WebGPU has on its prototype, which JSON omits. */
function members<T extends object>(object: T): T {
  const copy: Partial<T> = {};
  for (const name in object) copy[name] = object[name];
  return copy as T;
}

/** Blocks until a line with a number arrives, and returns it; null at the end of the input. */
function readNumber(): number | null {
  const byte = new Uint8Array(1);
  let text = "";
  while (Deno.stdin.readSync(byte) === 1) {
    if (byte[0] === 10) return Number(text);
    text += String.fromCharCode(byte[0]!);
  }
  return null;
}

/** Destination of the records: a file in a folder, or nowhere. */
function sinkIn(folder: string | null): RecordSink {
  if (folder === null) return { write: () => {}, flush: () => {} };
  const realm = fileRealm(folder);
  beginRecords(realm, MAIN_REALM);
  return realm.sink;
}

/** Sums the work of the steps of a block. */
class BlockWork implements RecordSink {
  readonly #next: RecordSink;
  readonly #totals = new Float64Array(TOTALS.length);
  #marks = 0;

  /** @param next receives the records, too */
  constructor(next: RecordSink) {
    this.#next = next;
  }

  write(record: AttachRecord): void {
    this.#next.write(record);
    if (record.kind === "cut") record.totals.forEach((total, i) => this.#totals[i]! += total);
  }

  flush(isEnd: boolean): void {
    this.#next.flush(isEnd);
  }

  mark(): void {
    this.#marks++;
  }

  /** Returns the work since the last call. */
  take(): Work {
    const of = (name: TotalName) => this.#totals[TOTALS.indexOf(name)]!;
    const work = {
      dispatches: of("dispatches"),
      renderPasses: of("renderPasses"),
      uploadBytes: of("uploadBytes") + of("mappedUploadBytes"),
      marks: this.#marks,
    };
    this.#totals.fill(0);
    this.#marks = 0;
    return work;
  }
}

/** Sums what a program does from its first device to its first step. */
class Starting implements RecordSink {
  readonly #next: RecordSink;
  #device: number | null = null;
  #compilation = 0;
  #upload = 0;
  /** End of the latest asynchronous compilation. */
  #ready = 0;

  /** @param next receives the records, too */
  constructor(next: RecordSink) {
    this.#next = next;
  }

  get facts(): StartFacts {
    const device = performance.timeOrigin + (this.#device ?? now());
    return { device, compilation: this.#compilation, upload: this.#upload };
  }

  write(record: AttachRecord): void {
    this.#next.write(record);
    if (record.kind === "device") this.#device ??= record.time;
    else if (record.kind === "cut") {
      this.#compilation += record.totals[TOTALS.indexOf("compileMs")]!;
      this.#upload += record.totals[TOTALS.indexOf("uploadMs")]!;
    } else if (record.kind === "pipeline" && record.readyMs !== null) {
      // Pipelines may compile at the same time; the time after the call, as the calls are counted in cuts
      const from = Math.max(this.#ready, record.time + record.callMs);
      const to = record.time + record.readyMs;
      this.#compilation += Math.max(0, to - from);
      this.#ready = Math.max(this.#ready, to);
    }
  }

  flush(isEnd: boolean): void {
    this.#next.flush(isEnd);
  }
}

/** Ends the program if Tacho is gone. The end of stdin tells only a program that is held. */
function endWithParent(): void {
  if (Deno.ppid !== parent) Deno.exit(1);
}

const parent = Deno.ppid;
Deno.unrefTimer(setInterval(endWithParent, PARENT_INTERVAL));
const { events, steps, records } = readGateSettings(new URL(import.meta.url));
const devices = new WeakMap<GPUQueue, ProgramDevice>();
const work = new BlockWork(sinkIn(records));
const starting = new Starting(work);
const registry = new Registry();
const gate = new Gate(events, (queue) => devices.get(queue) ?? null, () => registry.end(realm));
const settings = { steps, stack: false, budget: 1, timing: records !== null };
const realm: Realm = { sink: starting, now, waitsBlock: true, onStep: (queue) => gate.step(queue) };
const patches = install(registry, { settings, realm });
patches.method(GPUAdapter.prototype, "requestDevice", async (adapter, args, call) => {
  const device = await call(adapter, args) as GPUDevice;
  const { queue, adapterInfo, limits, features } = device;
  devices.set(queue, { adapterInfo: members(adapterInfo), limits: members(limits), features: [...features] });
  void device.lost.then((info) => gate.lost(queue, info));
  return device;
});
for (const name of ["mark", "measure"] as const) {
  patches.method(Performance.prototype, name, (performance, args, call) => {
    const options = args[1];
    if (typeof options === "object" && options !== null && "detail" in options) {
      gate.readLoss(options.detail);
      if (name === "mark" && String(args[0]) === OUTPUT_MARK) gate.output(options.detail);
    }
    if (isStepName(String(args[0]))) work.mark();
    const entry = call(performance, args);
    // Without a device, the registry ends no steps
    if (registry.size === 0 && isStepName(String(args[0]))) gate.step(null);
    return entry;
  });
}
