import { callSite } from "./call_site.ts";
import { EventLog, type MadePipeline } from "./event_log.ts";
import { GrowingInterval } from "./growing_interval.ts";
import { type Kernel, type KernelFacts, KernelTable } from "./kernel_table.ts";
import { MemoryTracker } from "./memory_tracker.ts";
import { createPassReader, type PassReader } from "./pass_reader.ts";
import {
  type CutReason,
  type DeviceRecord,
  type HostKind,
  RENDER_PASS,
  type SiteRecord,
  type TotalName,
} from "./records.ts";
import type { Realm, Recording } from "./realm.ts";
import type { RenderPass } from "./render_pass.ts";
import { RoundTrips } from "./round_trips.ts";
import type { RecorderSettings, Steps } from "./settings.ts";
import { StepTiming } from "./step_timing.ts";
import { StretchCounter } from "./stretch.ts";
import { StretchEnds } from "./stretch_ends.ts";
import type { TimedPass } from "./query_sets.ts";

/** Commands of a command buffer. */
export interface SubmittedCommands {
  readonly slots: readonly TimedPass[];
  /** Kernel of each dispatch; null where it is unknown. */
  readonly kernels: readonly (Kernel | null)[];
  readonly computePasses: number;
  readonly renderPasses: readonly RenderPass[];
  readonly copies: number;
  readonly copyBytes: number;
  /** Numbers of the buffers that timed dispatches bind. */
  readonly bound: ReadonlySet<number>;
}

/** Records one device. */
export class DeviceRecorder {
  readonly id: number;
  readonly memory = new MemoryTracker();
  /** The realm that the program runs in. */
  readonly realm: Realm;
  /** The host's clock. */
  readonly now: () => number;
  readonly #settings: RecorderSettings;
  readonly #queue: GPUQueue;
  readonly #reader: PassReader;
  readonly #kernels: KernelTable;
  readonly #events: EventLog;
  readonly #stepTiming: StepTiming;
  readonly #ends: StretchEnds;
  readonly #stretch = new StretchCounter();
  readonly #roundTrips = new RoundTrips();
  /** Buffers that timed dispatches of the stretch bind. */
  readonly #bound = new Set<number>();
  readonly #renders = new Map<string, { count: number; selfTimed: number }>();
  #timing: boolean;
  #cuts = 0;
  #cutTime: number;
  #order = 0;
  #encodeStart = 0;
  #encodeEnd = 0;
  #busyUntil = 0;
  /** Time in which this step began to read timestamps, a cost of timing, in ms. */
  #readMs = 0;
  /** Time between records of the state. */
  readonly #stateInterval = new GrowingInterval();

  constructor(
    gpu: GPUDevice,
    queue: GPUQueue,
    facts: Omit<DeviceRecord, "kind" | "time">,
    { settings, realm }: Recording,
  ) {
    this.id = facts.device;
    this.#settings = settings;
    this.realm = realm;
    this.now = realm.now;
    this.#queue = queue;
    this.#kernels = new KernelTable(facts.device, realm.sink);
    this.#events = new EventLog(facts.device, realm);
    this.#ends = new StretchEnds(settings.steps);
    this.#stepTiming = new StepTiming(settings.budget);
    this.#cutTime = this.now();
    realm.sink.write({ kind: "device", time: this.#cutTime, ...facts });
    this.#reader = createPassReader(gpu, queue, facts, settings.timing, realm);
    this.#timing = this.#reader.times;
  }

  /** Prepares reading timestamps. Reading waits until this is done. */
  async prime(): Promise<void> {
    await this.#reader.prime();
  }

  /** Event that ends steps. */
  get stepsBy(): Steps["by"] {
    return this.#ends.by;
  }

  /** The program's line that calls WebGPU; null unless the settings ask for lines. */
  line(): string | null {
    return this.#settings.stack ? callSite() : null;
  }

  count(name: TotalName, by = 1): void {
    this.#stretch.add(name, by);
  }

  /** Records an interval of the host's main thread. */
  interval(kind: HostKind, start: number, end: number): void {
    if (end > this.#busyUntil && kind !== "compiling") this.#busyUntil = end;
    if (this.#timing) this.#stretch.interval(kind, start, end);
  }

  /** Records a call that compiles. */
  compiling(start: number, end: number): void {
    this.#stretch.add("compileMs", end - start);
    this.interval("compile", start, end);
  }

  upload(bytes: number, start: number, end: number): void {
    this.count("uploads");
    this.count("uploadBytes", bytes);
    this.#stretch.add("uploadMs", end - start);
    this.interval("upload", start, end);
  }

  /** Notes bytes that the program read from the device. */
  readBack(bytes: Uint8Array): void {
    this.#roundTrips.read(bytes);
  }

  /** Counts an upload of bytes that were read back before. */
  uploaded(bytes: Uint8Array): void {
    if (!this.#roundTrips.uploads(bytes)) return;
    this.count("roundTrips");
    this.count("roundTripBytes", bytes.byteLength);
  }

  /** Notes that the program encodes commands. */
  encoding(start: number, end: number): void {
    if (this.#encodeStart === 0) this.#encodeStart = start;
    this.#encodeEnd = end;
    if (end > this.#busyUntil) this.#busyUntil = end;
  }

  /** Returns the kernel of a pipeline, recording it at its first. */
  kernel(facts: KernelFacts): Kernel {
    return this.#kernels.kernel(facts, () => this.line());
  }

  module(label: string, hash: string, entryPoints: readonly string[]): void {
    this.count("modules");
    this.#events.module(label, hash, entryPoints);
  }

  pipeline(type: "compute" | "render", kernel: Kernel | null, made: MadePipeline): void {
    this.#events.pipeline(type, kernel, made, this.#cuts);
  }

  get cuts(): number {
    return this.#cuts;
  }

  /** Returns queries for a pass; null if it is not to be timed, or cannot be. */
  slot(between: number): TimedPass | null {
    return this.#timing ? this.#reader.slot(between) : null;
  }

  /** Returns the index of a site, recording it at its first dispatch. */
  site(facts: Omit<SiteRecord, "kind" | "device" | "site">): number {
    return this.#kernels.site(facts);
  }

  /** Records a submit. */
  submitted(commands: readonly SubmittedCommands[], start: number, end: number): void {
    const submit = this.#stretch.total("submits");
    this.count("submits");
    this.#stretch.add("submitMs", end - start);
    if (this.#encodeStart > 0) this.interval("encode", this.#encodeStart, Math.min(this.#encodeEnd, start));
    this.#encodeStart = 0;
    this.interval("submit", start, end);
    for (const { slots, kernels, computePasses, renderPasses, copies, copyBytes, bound } of commands) {
      this.count("dispatches", kernels.length);
      this.count("computePasses", computePasses);
      this.count("renderPasses", renderPasses.length);
      this.count("copies", copies);
      this.count("copyBytes", copyBytes);
      for (const buffer of bound) this.#bound.add(buffer);
      for (const kernel of kernels) {
        this.#stretch.dispatched(kernel?.symbol ?? 0);
        if (kernel !== null) this.#kernels.called(kernel);
      }
      for (const pass of renderPasses) {
        this.#stretch.dispatched(RENDER_PASS);
        this.#rendered(pass);
      }
      for (const slot of slots) {
        slot.submit = submit;
        slot.submitted = start;
        slot.order = this.#order++;
        if (this.#kernels.dispatches(slot.site)) this.count("timedDispatches");
      }
    }
    if (this.#ends.submit(submit + 1)) this.#cut("submit", end);
    this.#reader.begin("submit");
  }

  #rendered({ label, selfTimed }: RenderPass): void {
    const renders = this.#renders.get(label) ?? { count: 0, selfTimed: 0 };
    renders.count++;
    if (selfTimed) renders.selfTimed++;
    this.#renders.set(label, renders);
  }

  /** Records a call that has waited for the device, and reads timestamps. */
  waited(start: number, end: number): void {
    this.#waited(start, end);
    this.#reader.read(end, false);
    this.#save(end);
  }

  /**
   * Begins to read timestamps before the program begins to wait, where waits do not block: they arrive first. Returns the
   * function that records the end of the wait.
   */
  waiting(): (start: number) => Promise<void> {
    const before = this.now();
    const reading = this.#reader.begin("wait");
    const submits = this.#stretch.total("submits");
    if (reading !== null) {
      this.#own(before);
      this.#readMs += this.now() - before;
    }
    return async (start) => {
      const end = this.now();
      const later = this.#stretch.total("submits") - submits;
      this.#waited(start, end, later);
      await reading;
      await this.#reader.sample(later === 0);
      this.#save(end);
    };
  }

  /** @param later submits since the wait began, which it did not wait for */
  #waited(start: number, end: number, later = 0): void {
    this.count("waits");
    this.#stretch.add("waitMs", end - start);
    this.interval("wait", start, end);
    if (this.#ends.wait(later)) this.#cut("wait", end);
  }

  /** Records the time between the end of a wait and its promise, in which the runtime slept. */
  slept(from: number, until: number): void {
    const start = Math.max(from, this.#busyUntil);
    if (until <= start) return;
    this.#stretch.add("sleepMs", until - start);
    this.interval("sleep", start, until);
  }

  /** Ends a step by a mark of the program. */
  mark(name: string): void {
    if (this.#ends.mark()) this.#cut("mark", this.now(), name);
  }

  /** Ends a step by a call to the profiler, which from then on alone ends steps. */
  step(): void {
    this.#ends.call();
    this.#cut("step", this.now());
  }

  error(type: string, message: string, scoped: boolean): void {
    this.#events.error(type, message, scoped);
  }

  lost(reason: string, message: string): void {
    this.#reader.stop();
    this.#events.lost(reason, message);
  }

  /** Reads what is left before the program destroys the device. */
  destroyed(): void {
    this.finish();
    this.#reader.stop();
  }

  /** Reads the timestamps that are left, where waits do not block. */
  async readRest(): Promise<void> {
    const start = this.now();
    void this.#reader.sample(false);
    const reading = this.#reader.begin("wait");
    this.#save(start);
    await reading;
    this.realm.sink.flush(false);
  }

  /** Records everything up to now. Blocks until the device is done, where waits block. */
  finish(): void {
    if (this.realm.waitsBlock) {
      const start = this.now();
      this.#reader.read(start, true);
      this.#save(start);
    }
    if (this.#stretch.changed) this.#cut("end", this.now());
    this.writeState();
  }

  /** Times nothing more. */
  stop(): void {
    this.#reader.stop();
    this.#timing = false;
  }

  writeState(): void {
    const time = this.now();
    this.#stateInterval.begin(time);
    this.realm.sink.write({
      kind: "state",
      device: this.id,
      time,
      memory: this.memory.bytes,
      peak: this.memory.peak,
      ...this.memory.state(),
      calls: [...this.#kernels.calls],
      renders: [...this.#renders].map(([pass, counts]) => ({ pass, ...counts })),
      unslotted: this.#reader.unslotted,
      ...this.#reader.clock,
    });
  }

  /** Writes what is recorded so far, unless it was written a moment ago. The time since `done` is the recorder's own. */
  #save(done: number): void {
    if (this.#stateInterval.due(done)) this.writeState();
    this.realm.sink.flush(false);
    this.#own(done);
  }

  /** Records the time since `start` as the recorder's own. */
  #own(start: number): void {
    const end = this.now();
    this.#stretch.add("ownMs", end - start);
    this.interval("own", start, end);
  }

  /** Ends a stretch, and decides whether the next one is timed. */
  #cut(by: CutReason, end: number, name: string | null = null): void {
    const [dispatches, timedDispatches] = [
      this.#stretch.sinceCut("dispatches"),
      this.#stretch.sinceCut("timedDispatches"),
    ];
    const own = this.#stretch.sinceCut("ownMs");
    const stretch = this.#stretch.cut();
    this.realm.sink.write({
      ...{ kind: "cut", device: this.id, by, name, start: this.#cutTime, end, pending: this.#ends.pending, ...stretch },
      memory: this.memory.bytes,
      peak: this.memory.peak,
      keptPeak: this.memory.keptPeak,
      ...timedDispatches === 0 ? {} : { bound: [...this.#bound] },
    });
    this.#bound.clear();
    const finds = this.#reader.times || this.realm.onStep !== undefined;
    if (finds && !this.#reader.gone && by !== "end") {
      const { explicit, pending } = this.#ends;
      const wall = end - this.#cutTime - own + this.#readMs;
      this.#readMs = 0;
      const facts = { by, symbol: stretch.symbol, wall, dispatches, timedDispatches, explicit, pending: pending > 0 };
      const next = this.#stepTiming.next(facts);
      if (this.#reader.times) this.#timing = next ?? this.#timing;
    }
    this.#cuts++;
    this.#cutTime = end;
    // A program that never waits may be killed
    if (by !== "end") this.#save(this.now());
    if (this.realm.onStep === undefined || by === "end" || !this.#stepTiming.ended) return;
    this.realm.onStep(this.#queue, this.#ends.pending);
    this.#cutTime = this.now(); // the program may have been held
  }
}
