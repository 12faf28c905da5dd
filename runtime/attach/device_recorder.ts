import { callSite } from "./call_site.ts";
import { HASH_SEED, mix } from "./hash.ts";
import { type Kernel, type KernelFacts, KernelTable } from "./kernel_table.ts";
import { MemoryTracker } from "./memory_tracker.ts";
import { now } from "./native.ts";
import {
  type CutReason,
  type DeviceRecord,
  HOST_KINDS,
  type HostKind,
  type RecordSink,
  type SiteRecord,
  type TotalName,
  TOTALS,
} from "./records.ts";
import type { RecorderSettings, Recording, Steps } from "./settings.ts";
import { StepTiming } from "./step_timing.ts";
import { type ReadPasses, type TimedPass, TimestampPool } from "./timestamp_pool.ts";

/** Waiting queries after which they are read at the program's next wait. */
const READ_AFTER = 1024;

/** Time after which waiting queries are read regardless of their number, in ms. */
const READ_INTERVAL = 1000;

/** Submits without a wait after which each submit ends a stretch. */
const SUBMITS_WITHOUT_WAIT = 16;

/** Time between readings where waits do not block, as a multiple of the time of the last one. */
const READ_DISTANCE = 10;

/** Time between records of the state, in ms. */
const STATE_INTERVAL = 1000;

/** Host intervals of a stretch; more are not stored. */
const MOST_INTERVALS = 20_000;

/** Errors that are recorded in full. */
const MOST_ERRORS = 100;

const INDEX = Object.fromEntries(TOTALS.map((name, i) => [name, i])) as Record<TotalName, number>;
const KIND = Object.fromEntries(HOST_KINDS.map((kind, i) => [kind, i])) as Record<HostKind, number>;

/** Commands of a command buffer. */
export interface SubmittedCommands {
  readonly slots: readonly TimedPass[];
  /** Kernel of each dispatch; null where it is unknown. */
  readonly kernels: readonly (Kernel | null)[];
  readonly computePasses: number;
  readonly renderPasses: number;
  readonly copies: number;
  readonly copyBytes: number;
}

/** Records one device. */
export class DeviceRecorder {
  readonly id: number;
  readonly memory = new MemoryTracker();
  readonly #settings: RecorderSettings;
  readonly #sink: RecordSink;
  readonly #waitsBlock: boolean;
  readonly #onStep: (() => void) | null;
  readonly #pool: TimestampPool | null;
  readonly #kernels: KernelTable;
  readonly #stepTiming: StepTiming;
  readonly #totals = new Float64Array(TOTALS.length);
  readonly #atCut = new Float64Array(TOTALS.length);
  #host: number[] = [];
  #symbol = HASH_SEED;
  #explicitSteps = false;
  #timing: boolean;
  #cuts = 0;
  #cutTime: number;
  #order = 0;
  #submitsSinceWait = 0;
  #encodeStart = 0;
  #encodeEnd = 0;
  #busyUntil = 0;
  #readTime = 0;
  #readMs = 0;
  #stateTime = 0;
  #errors = 0;
  #unslotted = 0;
  #selfTimed = 0;
  #gone = false;

  constructor(
    gpu: GPUDevice,
    queue: GPUQueue,
    facts: Omit<DeviceRecord, "kind" | "time">,
    { settings, sink, onStep, waitsBlock = true }: Recording,
  ) {
    this.id = facts.device;
    this.#settings = settings;
    this.#onStep = onStep === undefined ? null : () => onStep(queue);
    this.#sink = sink;
    this.#waitsBlock = waitsBlock;
    this.#kernels = new KernelTable(facts.device, sink);
    this.#stepTiming = new StepTiming(settings.budget);
    this.#cutTime = now();
    sink.write({ kind: "device", time: this.#cutTime, ...facts });
    const timed = settings.timing && facts.timestamps !== "none";
    this.#pool = timed ? new TimestampPool(gpu, queue, waitsBlock) : null;
    this.#timing = timed;
  }

  /** Prepares reading timestamps. Reading waits until this is done. */
  async prime(): Promise<void> {
    await this.#pool?.prime();
  }

  /** Event that ends steps. */
  get stepsBy(): Steps["by"] {
    return this.#explicitSteps ? "step" : this.#settings.steps.by;
  }

  /** The program's line that calls WebGPU; null unless the settings ask for lines. */
  line(): string | null {
    return this.#settings.stack ? callSite() : null;
  }

  count(name: TotalName, by = 1): void {
    this.#totals[INDEX[name]]! += by;
  }

  #add(name: TotalName, ms: number): void {
    this.#totals[INDEX[name]]! += ms;
  }

  /** Records an interval of the host's main thread. */
  interval(kind: HostKind, start: number, end: number): void {
    if (end > this.#busyUntil && kind !== "compiling") this.#busyUntil = end;
    if (this.#timing && this.#host.length < 3 * MOST_INTERVALS) this.#host.push(KIND[kind], start, end);
  }

  /** Records a call that compiles. */
  compiling(start: number, end: number): void {
    this.#add("compileMs", end - start);
    this.interval("compile", start, end);
  }

  upload(bytes: number, start: number, end: number): void {
    this.count("uploads");
    this.count("uploadBytes", bytes);
    this.#add("uploadMs", end - start);
    this.interval("upload", start, end);
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
    this.#sink.write({ kind: "module", device: this.id, time: now(), label, hash, entryPoints });
  }

  pipeline(
    type: "compute" | "render",
    kernel: Kernel | null,
    { start, callMs, readyMs, line }: { start: number; callMs: number; readyMs: number | null; line: string | null },
  ): void {
    const facts = { type, async: readyMs !== null, callMs, readyMs, kernel: kernel?.index ?? null, line };
    this.#sink.write({ kind: "pipeline", device: this.id, time: start, cuts: this.#cuts, ...facts });
  }

  get cuts(): number {
    return this.#cuts;
  }

  /** Returns queries for a pass; null if it is not to be timed, or cannot be. */
  slot(between: number): TimedPass | null {
    if (!this.#timing || this.#pool === null) return null;
    const slot = this.#pool.slot(between);
    if (slot === null) this.#unslotted++;
    return slot;
  }

  selfTimedRenderPass(): void {
    this.#selfTimed++;
  }

  /** Returns the index of a site, recording it at its first dispatch. */
  site(facts: Omit<SiteRecord, "kind" | "device" | "site">): number {
    return this.#kernels.site(facts);
  }

  /** Records a submit. */
  submitted(commands: readonly SubmittedCommands[], start: number, end: number): void {
    const submit = this.#totals[INDEX.submits]!;
    this.count("submits");
    this.#add("submitMs", end - start);
    if (this.#encodeStart > 0) this.interval("encode", this.#encodeStart, Math.min(this.#encodeEnd, start));
    this.#encodeStart = 0;
    this.interval("submit", start, end);
    for (const { slots, kernels, computePasses, renderPasses, copies, copyBytes } of commands) {
      this.count("dispatches", kernels.length);
      this.count("computePasses", computePasses);
      this.count("renderPasses", renderPasses);
      this.count("copies", copies);
      this.count("copyBytes", copyBytes);
      for (const kernel of kernels) {
        this.#symbol = mix(this.#symbol, kernel?.symbol ?? 0);
        if (kernel !== null) this.#kernels.called(kernel);
      }
      for (const slot of slots) {
        slot.submit = submit;
        slot.submitted = start;
        slot.order = this.#order++;
        if (this.#kernels.dispatches(slot.site)) this.count("timedDispatches");
      }
    }
    this.#submitsSinceWait++;
    const { steps } = this.#settings;
    if (this.#explicitSteps) return;
    if (steps.by === "submit") {
      if ((submit + 1) % steps.count === 0) this.#cut("submit", end);
    } else if (steps.by === "auto" && this.#submitsSinceWait > SUBMITS_WITHOUT_WAIT) this.#cut("submit", end);
  }

  /** True if waits for the device block in their calls. */
  get waitsBlock(): boolean {
    return this.#waitsBlock;
  }

  /** Records a call that has waited for the device, and reads timestamps. */
  waited(start: number, end: number): void {
    this.#waited(start, end);
    this.#read(end, false);
  }

  /** Records a wait that has ended with its promise, and reads timestamps before the program goes on. */
  async awaited(start: number, end: number): Promise<void> {
    this.#waited(start, end);
    await this.#readLater(end, false);
  }

  #waited(start: number, end: number): void {
    this.count("waits");
    this.#add("waitMs", end - start);
    this.interval("wait", start, end);
    const { by } = this.#settings.steps;
    if (this.#submitsSinceWait > 0 && !this.#explicitSteps && (by === "auto" || by === "wait")) this.#cut("wait", end);
    this.#submitsSinceWait = 0;
  }

  /** Records the time between the end of a wait and its promise, in which the runtime slept. */
  slept(from: number, until: number): void {
    const start = Math.max(from, this.#busyUntil);
    if (until <= start) return;
    this.#add("sleepMs", until - start);
    this.interval("sleep", start, until);
  }

  /** Ends a step by a mark of the program. */
  mark(name: string): void {
    const { by } = this.#settings.steps;
    if (!this.#explicitSteps && (by === "auto" || by === "mark")) this.#cut("mark", now(), name);
  }

  /** Ends a step by a call to the profiler, which from then on alone ends steps. */
  step(): void {
    this.#explicitSteps = true;
    this.#cut("step", now());
  }

  error(type: string, message: string, scoped: boolean): void {
    if (this.#errors++ < MOST_ERRORS) {
      this.#sink.write({ kind: "error", device: this.id, time: now(), type, message, scoped });
    }
  }

  lost(reason: string, message: string): void {
    this.#gone = true;
    this.#sink.write({ kind: "lost", device: this.id, time: now(), reason, message });
  }

  /** Reads what is left before the program destroys the device. */
  destroyed(): void {
    this.finish();
    this.#gone = true;
  }

  /** Reads the timestamps that are left, where waits do not block. */
  async readRest(): Promise<void> {
    await this.#readLater(now(), true);
  }

  /** Records everything up to now. Blocks until the device is done, where waits block. */
  finish(): void {
    if (this.#waitsBlock) this.#read(now(), true);
    const changed = this.#totals.some((total, i) => total !== this.#atCut[i]);
    if (changed) this.#cut("end", now());
    this.writeState();
  }

  /** Times nothing more. */
  stop(): void {
    this.#gone = true;
    this.#timing = false;
  }

  writeState(): void {
    const time = now();
    this.#stateTime = time;
    this.#sink.write({
      kind: "state",
      device: this.id,
      time,
      memory: this.memory.bytes,
      peak: this.memory.peak,
      ...this.memory.state(),
      calls: [...this.#kernels.calls],
      unslotted: this.#unslotted,
      selfTimed: this.#selfTimed,
      nsPerTick: this.#pool?.clock.axis.nsPerTick ?? 1,
      clockError: this.#pool?.clock.axis.error ?? null,
      clockResets: this.#pool?.clock.axis.resets ?? 0,
    });
  }

  #read(done: number, isEnd: boolean): void {
    const waiting = this.#pool?.waiting ?? 0;
    const due = isEnd || waiting >= READ_AFTER || done - this.#readTime > READ_INTERVAL;
    if (waiting > 0 && due && !this.#gone) {
      try {
        this.#passes(this.#pool?.read(done) ?? null, done);
      } catch {
        this.#gone = true; // the buffer is not mapped; the device's promise of its loss follows
      }
    }
    this.#hasRead(done);
  }

  /** Reads as often as takes little time, since nothing can be read at the program's sudden end. */
  async #readLater(done: number, isEnd: boolean): Promise<void> {
    const due = isEnd || done - this.#readTime > READ_DISTANCE * this.#readMs;
    if ((this.#pool?.waiting ?? 0) > 0 && due && !this.#gone) {
      try {
        this.#passes(await this.#pool?.readLater(done) ?? null, done);
        this.#readMs = now() - done;
      } catch {
        this.#gone = true;
      }
    }
    this.#hasRead(done);
  }

  #passes(passes: ReadPasses | null, done: number): void {
    if (passes !== null) this.#sink.write({ kind: "passes", device: this.id, ...passes });
    this.#readTime = done;
  }

  #hasRead(done: number): void {
    if (this.#stateTime === 0 || done - this.#stateTime > STATE_INTERVAL) this.writeState();
    this.#sink.flush(false);
    const end = now();
    this.#add("ownMs", end - done);
    this.interval("own", done, end);
  }

  /** Ends a stretch, and decides whether the next one is timed. */
  #cut(by: CutReason, end: number, name: string | null = null): void {
    const totals = Array.from(this.#totals, (total, i) => rounded(total - this.#atCut[i]!));
    const [dispatches, timed, own] = [totals[INDEX.dispatches]!, totals[INDEX.timedDispatches]!, totals[INDEX.ownMs]!];
    const symbol = this.#symbol === HASH_SEED ? 0 : this.#symbol;
    this.#sink.write({
      ...{ kind: "cut", device: this.id, by, name, start: this.#cutTime, end, symbol, totals },
      host: this.#host.map(rounded),
      memory: this.memory.bytes,
      peak: this.memory.peak,
    });
    const finds = this.#pool !== null || this.#onStep !== null;
    if (finds && !this.#gone && by !== "end") {
      const explicit = this.#explicitSteps || this.#settings.steps.by !== "auto";
      const wall = end - this.#cutTime - own;
      const next = this.#stepTiming.next({ by, symbol, wall, dispatches, timedDispatches: timed, explicit });
      if (this.#pool !== null) this.#timing = next ?? this.#timing;
    }
    this.#cuts++;
    this.#atCut.set(this.#totals);
    this.#host = [];
    this.#symbol = HASH_SEED;
    this.#cutTime = end;
    if (this.#onStep === null || by === "end" || !this.#stepTiming.ended) return;
    this.#onStep();
    this.#cutTime = now(); // the program may have been held
  }
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
