/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/**
 * Worker that samples cores and threads; see cpu_sampler.ts.
 *
 * @module
 */
import { openFile, readKernelFile } from "../core/files.ts";
import { parseCores, parseSchedule, parseThreadState } from "../record/cpu_use.ts";
import type { CpuSample, ThreadSample } from "../record/cpu_lanes.ts";
import { type Sampled, SamplerState } from "./cpu_sampler.ts";

/** Shortest time between samples, in ms. */
const PERIOD_MS = 5;

/** Fraction of the time that samples take at most. */
const MAX_SHARE = 0.01;

/** Number of samples at which every second one is dropped, and from then on half as many are taken. */
const MAX = 2000;

/** Time between looks for new threads, in ms. */
const LIST_MS = 100;

/** An open file of `/proc`. Reading it again takes a tenth of the time of opening it. */
class ProcFile implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #buffer: Uint8Array<ArrayBuffer>;
  readonly #decoder = new TextDecoder();

  /** @param size bytes to read at most */
  constructor(path: string, size = 1024) {
    this.#file = openFile(path);
    this.#buffer = new Uint8Array(size);
  }

  read(): string {
    this.#file.seekSync(0, Deno.SeekMode.Start);
    return this.#decoder.decode(this.#buffer.subarray(0, this.#file.readSync(this.#buffer) ?? 0));
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

class Sampler {
  readonly names = new Map<string, string>();
  segments: CpuSample[][] = [];
  #period = PERIOD_MS;
  readonly #stat = new ProcFile("/proc/stat", 2 ** 16);
  readonly #threads = new Map<string, { readonly state: ProcFile; readonly schedule: ProcFile }>();
  readonly #own = readKernelFile("/proc/thread-self/stat").split(" ")[0]!;
  readonly #ownSchedule = new ProcFile(`/proc/self/task/${this.#own}/schedstat`);
  readonly #before = this.#ownTime();
  readonly #last = new Map<string, ThreadSample>();
  #listed = -Infinity;
  #kept = 0;
  #taken = 0;

  /** CPU time that the samples have taken, in ms. */
  get spent(): number {
    return this.#ownTime() - this.#before;
  }

  /** Starts an uninterrupted series of samples. */
  begin(): void {
    this.segments.push([]);
  }

  /** Takes a sample and returns the time to wait before the next, in ms. */
  take(): number {
    const start = performance.now();
    if (start - this.#listed > LIST_MS) this.#list(start);
    const threads = new Map<string, ThreadSample>();
    for (const [id, { state, schedule }] of this.#threads) {
      try {
        const times = parseSchedule(schedule.read());
        const last = this.#last.get(id);
        // A thread that has slept since the last sample is in the same state
        const slept = last !== undefined && last.running === times.running && last.waiting === times.waiting;
        const sample = slept ? last : { ...times, ...parseThreadState(state.read()) };
        threads.set(id, sample);
        this.#last.set(id, sample);
      } catch {
        this.#close(id); // the thread has ended
      }
    }
    this.segments.at(-1)!.push({
      time: performance.timeOrigin + performance.now(),
      threads,
      cores: parseCores(this.#stat.read()),
    });
    this.#taken++;
    if (++this.#kept >= MAX) this.#thin();
    return Math.max(this.#period, this.spent / this.#taken / MAX_SHARE) - (performance.now() - start);
  }

  #ownTime(): number {
    return parseSchedule(this.#ownSchedule.read()).running / 1e6;
  }

  #list(now: number): void {
    this.#listed = now;
    for (const { name: id } of Deno.readDirSync("/proc/self/task")) {
      if (this.#threads.has(id)) continue;
      const folder = `/proc/self/task/${id}`;
      try {
        const name = readKernelFile(`${folder}/comm`).trim();
        const [state, schedule] = [new ProcFile(`${folder}/stat`), new ProcFile(`${folder}/schedstat`)];
        this.#threads.set(id, { state, schedule });
        const called = id === this.#own ? "CPU sampler" : name;
        this.names.set(id, `${called} ${id}${Number(id) === Deno.pid ? " (main)" : ""}`);
      } catch {
        continue; // the thread has ended
      }
    }
  }

  #close(id: string): void {
    const { state, schedule } = this.#threads.get(id)!;
    state[Symbol.dispose]();
    schedule[Symbol.dispose]();
    this.#threads.delete(id);
    this.#last.delete(id);
  }

  /** Drops every second sample. Readings are sums, so that longer intervals stay exact. */
  #thin(): void {
    this.segments = this.segments.map((samples) => samples.filter((_, i) => i % 2 === 0));
    this.#kept = this.segments.reduce((sum, { length }) => sum + length, 0);
    this.#period *= 2;
  }
}

self.onmessage = ({ data: control }: MessageEvent<Int32Array<SharedArrayBuffer>>) => {
  self.postMessage("ready");
  self.postMessage(sampleUntilEnd(control));
};

function sampleUntilEnd(control: Int32Array<SharedArrayBuffer>): Sampled | null {
  try {
    const sampler = new Sampler();
    let before: number = SamplerState.paused;
    for (;;) {
      const state = Atomics.load(control, 0);
      if (state === SamplerState.ended) break;
      if (state === SamplerState.paused) Atomics.wait(control, 0, state);
      else {
        if (before !== state) sampler.begin();
        Atomics.wait(control, 0, state, Math.max(0, sampler.take()));
      }
      before = state;
    }
    return { segments: sampler.segments, names: sampler.names, spent: sampler.spent };
  } catch {
    return null; // no permission to read /proc
  }
}
