import type { EnergySource } from "./energy_source.ts";

/** Milliseconds between samples of the power. */
export const PERIOD_MS = 50;

/** Words of shared memory before the sums: the state, and the number of changes, which is odd during one. */
export const HEADER = { ended: 0, changes: 1, bytes: 8 } as const;

/** Values of each sensor, in f64: joules up to the last sample, watts then. The time in ms of the last sample is first. */
export const VALUES = { time: 0, first: 1, joules: 0, watts: 1, each: 2 } as const;

/** Memory that the worker shares, and files of sensors in microwatts. */
export interface SamplerPlan {
  readonly memory: SharedArrayBuffer;
  readonly paths: readonly string[];
}

/**
 * Sums up the power of sensors from a worker, so that samples are taken while the main thread waits for the device. The
 * power counts as constant from one sample to the next.
 */
export class PowerSampler {
  readonly sources: readonly EnergySource[];
  readonly #words: Int32Array;
  readonly #values: Float64Array;
  readonly #worker: Worker;
  #open: number;

  /** @param sensors names, and files in microwatts */
  constructor(sensors: readonly { readonly name: string; readonly path: string }[]) {
    const memory = new SharedArrayBuffer(HEADER.bytes + 8 * (VALUES.first + VALUES.each * sensors.length));
    this.#words = new Int32Array(memory, 0, HEADER.bytes / 4);
    this.#values = new Float64Array(memory, HEADER.bytes);
    this.#worker = new Worker(import.meta.resolve("./power_sampler_worker.ts"), {
      type: "module",
      name: "tacho-power",
    });
    this.#worker.onerror = (event) => event.preventDefault(); // sensors then count nothing
    const plan: SamplerPlan = { memory, paths: sensors.map(({ path }) => path) };
    this.#worker.postMessage(plan);
    this.#open = sensors.length;
    this.sources = sensors.map(({ name }, i) => ({ name, joules: () => this.#joules(i), close: () => this.#close() }));
  }

  #joules(sensor: number): number {
    const at = VALUES.first + VALUES.each * sensor;
    for (;;) {
      const before = Atomics.load(this.#words, HEADER.changes);
      const time = this.#values[VALUES.time]!;
      const [joules, watts] = [this.#values[at + VALUES.joules]!, this.#values[at + VALUES.watts]!];
      const settled = Atomics.load(this.#words, HEADER.changes) === before && before % 2 === 0;
      if (!settled) continue;
      const since = performance.timeOrigin + performance.now() - time;
      return before === 0 ? 0 : joules + watts * Math.min(PERIOD_MS, Math.max(0, since)) / 1000;
    }
  }

  #close(): void {
    if (--this.#open > 0) return;
    Atomics.store(this.#words, HEADER.ended, 1);
    Atomics.notify(this.#words, HEADER.ended);
    this.#worker.terminate();
  }
}
