import { candidateId, type TuningTask } from "./tasks.ts";
import { DTYPE_BYTES } from "../../core/dtype.ts";
import { DeviceError } from "../../core/errors.ts";
import { encode } from "../../core/f16.ts";
import { RandomStream } from "../../core/random.ts";
import { sizeOf } from "../../core/shape.ts";
import { bindPlan, type BoundKernels } from "../../device/bind.ts";
import type { Device } from "../../device/device.ts";
import type { BufferRef } from "../../device/kernel.ts";
import type { TensorType } from "../../graph/types.ts";
import { Stopwatch } from "../stopwatch.ts";

/** How long one run of a candidate takes: ms; null where it does not compile or could not be timed. */
export interface CandidateTime {
  readonly id: string;
  readonly name: string;
  readonly time: number | null;
}

/** Timed runs of a candidate at the most, and after how many ms of them a task has had enough. */
const ROUNDS = 7;
const LEAST_ROUNDS = 3;
const ENOUGH_MS = 120;
/** A candidate that is this many times slower than the best, in as many rounds as there are at least, is not run again. */
const HOPELESS = 2;
/** A pass is repeated until it takes about this long, so that the clock's steps do not matter: ms. */
const PASS_MS = 0.5;
const MOST_REPEATS = 64;
/** Numbers that scratch tensors are filled with, again and again. */
const PATTERN = 1 << 16;

interface Runner {
  readonly kernels: BoundKernels;
  readonly repeats: number;
  /** By the host's clock, for one run. */
  best: number;
  readonly times: number[];
}

/** Times the candidates of ops on scratch buffers, in turns, so that a busy moment hits all of them. */
export class CandidateTimer {
  readonly #device: Device;
  readonly #stopwatch: Stopwatch;

  constructor(device: Device) {
    this.#device = device;
    this.#stopwatch = new Stopwatch(device);
  }

  /** The clock that the times are of. */
  get clock(): "device" | "host" {
    return this.#stopwatch.clock;
  }

  /** Times of a task's candidates, in their order. `shouldStop` is looked at between runs; null once it is true. */
  async time(task: TuningTask, shouldStop: () => boolean): Promise<CandidateTime[] | null> {
    const buffers: GPUBuffer[] = [];
    const bound: BoundKernels[] = [];
    try {
      const runners = await this.#prepare(task, buffers, bound, shouldStop);
      if (runners === null || !await this.#run(runners.filter((runner) => runner !== null), shouldStop)) return null;
      return task.candidates.map((plan, i) => ({ id: candidateId(plan), name: plan.name, time: timeOf(runners[i]!) }));
    } finally {
      for (const kernels of bound) kernels.free();
      for (const buffer of buffers) this.#device.free(buffer);
    }
  }

  free(): void {
    this.#stopwatch.free();
  }

  /** Compiles each candidate by running it once; null for one that does not compile. */
  async #prepare(
    task: TuningTask,
    buffers: GPUBuffer[],
    bound: BoundKernels[],
    shouldStop: () => boolean,
  ): Promise<(Runner | null)[] | null> {
    const bufferOf = this.#scratch(task, buffers);
    const runners: (Runner | null)[] = [];
    for (const plan of task.candidates) {
      if (shouldStop()) return null;
      try {
        const kernels = await bindPlan(this.#device, plan, bufferOf);
        bound.push(kernels);
        this.#stopwatch.run(kernels, { timed: false }); // compiles
        const once = this.#stopwatch.run(kernels, { timed: false });
        const repeats = Math.min(MOST_REPEATS, Math.max(1, Math.ceil(PASS_MS / Math.max(once, 0.001))));
        runners.push({ kernels, repeats, best: Infinity, times: [] });
      } catch (error) {
        if (!(error instanceof DeviceError) || this.#device.lost) throw error;
        runners.push(null);
      }
    }
    await this.#device.settle();
    return runners;
  }

  async #run(runners: readonly Runner[], shouldStop: () => boolean): Promise<boolean> {
    const order: Runner[] = [];
    const start = performance.now();
    for (let round = 0; round < ROUNDS; round++) {
      if (round >= LEAST_ROUNDS && performance.now() - start > ENOUGH_MS * runners.length) break;
      const best = Math.min(...runners.map((runner) => runner.best));
      for (const runner of runners) {
        if (round >= LEAST_ROUNDS && runner.best > HOPELESS * best) continue;
        if (shouldStop()) break;
        runner.best = Math.min(runner.best, this.#stopwatch.run(runner.kernels, { repeats: runner.repeats }));
        order.push(runner);
      }
    }
    (await this.#stopwatch.read()).forEach((time, i) => {
      if (time !== null) order[i]!.times.push(time);
    });
    await this.#device.settle();
    return !shouldStop();
  }

  /** Buffers for the tensors of the task and for the scratch memory that any candidate wants. */
  #scratch(task: TuningTask, buffers: GPUBuffer[]): (ref: BufferRef) => GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const make = (bytes: number) => {
      const buffer = this.#device.buffer("tuning", bytes, usage);
      buffers.push(buffer);
      return buffer;
    };
    const inputs = task.inputs.map((type) => {
      const buffer = make(sizeOf(type.shape) * DTYPE_BYTES[type.dtype]);
      fill(this.#device, buffer, type);
      return buffer;
    });
    const outputs = task.outputs.map((type) => make(sizeOf(type.shape) * DTYPE_BYTES[type.dtype]));
    const sizes: number[] = [];
    for (const { workspace } of task.candidates) {
      workspace.forEach((bytes, i) => sizes[i] = Math.max(sizes[i] ?? 0, bytes));
    }
    const workspace = sizes.map(make);
    return (ref) =>
      "input" in ref ? inputs[ref.input]! : "output" in ref ? outputs[ref.output]! : workspace[ref.workspace]!;
  }
}

/** The least of the runs: others on the machine can only add to it. */
function timeOf(runner: Runner | null): number | null {
  if (runner === null) return null;
  const time = runner.times.length > 0 ? Math.min(...runner.times) : runner.best;
  return Number.isFinite(time) ? time : null;
}

/** Numbers between -1 and 1 in tensors of floats; others stay zero, which is a valid index. */
function fill(device: Device, buffer: GPUBuffer, type: TensorType): void {
  if (type.dtype !== "f32" && type.dtype !== "f16") return;
  const random = new RandomStream(1);
  const count = Math.min(PATTERN, Math.ceil(sizeOf(type.shape) / 2) * 2);
  const values = Float32Array.from({ length: count }, () => random.uniform() * 2 - 1);
  const bytes = new Uint8Array(encode(values, type.dtype));
  for (let offset = 0; offset < buffer.size; offset += bytes.byteLength) {
    device.write(buffer, offset, bytes.subarray(0, Math.min(bytes.byteLength, buffer.size - offset) & ~3));
  }
}
