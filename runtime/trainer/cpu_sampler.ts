import { type CpuLanes, cpuLanes, type CpuSample } from "../record/cpu_lanes.ts";
import { readCores } from "../record/cpu_use.ts";

/** States of the sampler, in one word of shared memory. */
export const SamplerState = { paused: 0, sampling: 1, ended: 2 } as const;

/** Samples from the worker; times are in ms since the Unix epoch. */
export interface Sampled {
  readonly segments: readonly (readonly CpuSample[])[];
  /** Names of the threads by ID. */
  readonly names: ReadonlyMap<string, string>;
  /** CPU time that the samples took, in ms. */
  readonly spent: number;
}

/**
 * Samples cores and threads from a worker, so that the main thread is seen too while it waits for the device. Sampling takes
 * at most 1 % of a core.
 */
export class CpuSampler {
  readonly #worker: Worker;
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #sampled: Promise<Sampled | null>;

  private constructor(worker: Worker, control: Int32Array<SharedArrayBuffer>, sampled: Promise<Sampled | null>) {
    this.#worker = worker;
    this.#control = control;
    this.#sampled = sampled;
  }

  /** Starts a paused sampler; null if the system reports nothing. */
  static async start(): Promise<CpuSampler | null> {
    if (!reported()) return null;
    const control = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(import.meta.resolve("./cpu_sampler_worker.ts"), { type: "module", name: "tacho-cpu" });
    const started = Promise.withResolvers<boolean>();
    const ended = Promise.withResolvers<Sampled | null>();
    worker.onmessage = ({ data }: MessageEvent<"ready" | Sampled | null>) => {
      if (data === "ready") started.resolve(true);
      else ended.resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      started.resolve(false);
      ended.resolve(null);
    };
    worker.postMessage(control);
    if (await started.promise) return new CpuSampler(worker, control, ended.promise);
    worker.terminate();
    return null;
  }

  /** Starts or pauses sampling. */
  sample(on: boolean): void {
    this.#set(on ? SamplerState.sampling : SamplerState.paused);
  }

  /** Ends sampling and returns the lanes; null without a sample. */
  async stop(): Promise<CpuLanes | null> {
    this.#set(SamplerState.ended);
    const sampled = await this.#sampled;
    this.#worker.terminate();
    if (sampled === null) return null;
    const { spent, names } = sampled;
    const segments = sampled.segments.filter(({ length }) => length > 1).map((samples) =>
      samples.map((sample) => ({ ...sample, time: sample.time - performance.timeOrigin }))
    );
    const duration = segments.reduce((sum, samples) => sum + samples.at(-1)!.time - samples[0]!.time, 0);
    const intervals = segments.reduce((sum, { length }) => sum + length - 1, 0);
    if (intervals === 0 || duration <= 0) return null;
    return { ...cpuLanes(segments, names), sampling: { interval: duration / intervals, share: spent / duration } };
  }

  #set(state: number): void {
    if (Atomics.load(this.#control, 0) === SamplerState.ended) return;
    Atomics.store(this.#control, 0, state);
    Atomics.notify(this.#control, 0);
  }
}

function reported(): boolean {
  if (Deno.build.os !== "linux") return false;
  try {
    return readCores().size > 0;
  } catch {
    return false; // no /proc, or no permission to read it
  }
}
