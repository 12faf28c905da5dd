import type { ClockSample } from "../record/clock_fit.ts";
import type { DeviceWaits } from "./device_waits.ts";
import { HostAxis } from "./host_axis.ts";
import { native } from "./native.ts";

/** Empty passes that are timed on both clocks at once. The first ones are slow, so the tightest counts. */
const BRACKETS = 6;

/** Time between samples of the clock, in ms. */
const INTERVAL = 250;

/** Samples of both clocks that have not been read yet. */
interface Bracket {
  readonly before: number;
  readonly after: number;
}

/** Samples of the device's clock, which place it on the host's axis. */
export class DeviceClock {
  /** Bytes of its values in a buffer. */
  static readonly bytes = BRACKETS * 2 * 8;

  readonly axis = new HostAxis();
  readonly #gpu: GPUDevice;
  readonly #queue: GPUQueue;
  readonly #set: GPUQuerySet;
  #brackets: Bracket[] = [];
  #sampled = -Infinity;

  readonly #now: () => number;

  /** @param now the host's clock */
  constructor(gpu: GPUDevice, queue: GPUQueue, now: () => number) {
    this.#now = now;
    this.#gpu = gpu;
    this.#queue = queue;
    this.#set = native.createQuerySet.call(gpu, { label: "attach clock", type: "timestamp", count: BRACKETS * 2 });
  }

  /** Samples both clocks, waiting for the device. */
  *bracket(): DeviceWaits<void> {
    yield native.onSubmittedWorkDone.call(this.#queue); // earlier work would widen the bracket
    const brackets: Bracket[] = [];
    for (let i = 0; i < BRACKETS; i++) {
      const encoder = native.createCommandEncoder.call(this.#gpu, { label: "attach clock" });
      const pass = native.beginComputePass.call(encoder, {
        label: "attach clock",
        timestampWrites: { querySet: this.#set, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 },
      });
      native.end.call(pass);
      const commands = native.finish.call(encoder);
      const before = this.#now();
      native.submit.call(this.#queue, [commands]);
      yield native.onSubmittedWorkDone.call(this.#queue);
      brackets.push({ before, after: this.#now() });
    }
    this.#brackets = brackets;
    this.#sampled = this.#now();
  }

  /** Time since the last sample, in ms. */
  get age(): number {
    return this.#now() - this.#sampled;
  }

  /** True if the last sample is old. */
  get isDue(): boolean {
    return this.age > INTERVAL;
  }

  /** Samples both clocks if the last sample is old. */
  *bracketIfDue(): DeviceWaits<void> {
    if (this.isDue) yield* this.bracket();
  }

  /** Copies the values of the latest samples to a buffer. */
  resolve(encoder: GPUCommandEncoder, buffer: GPUBuffer, offset: number): void {
    if (this.#brackets.length > 0) native.resolveQuerySet.call(encoder, this.#set, 0, BRACKETS * 2, buffer, offset);
  }

  /** Takes the values that {@linkcode resolve} has copied. */
  observe(values: BigUint64Array): void {
    const samples = this.#brackets.splice(0).flatMap(({ before, after }, i): ClockSample[] => {
      const [begin, end] = [values[2 * i]!, values[2 * i + 1]!];
      if (begin === 0n || end < begin) return [];
      return [{ hostMs: (before + after) / 2, deviceNs: (begin + end) / 2n, uncertaintyMs: (after - before) / 2 }];
    });
    if (samples.length > 0) this.axis.observe(samples);
  }
}
