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

/** Time of one run of a candidate in ms; null if it does not compile or could not be timed. */
export interface CandidateTime {
  readonly id: string;
  readonly name: string;
  readonly time: number | null;
}

/** Rounds in which each candidate is timed. After the minimum, a task starts no round once its time budget is used. */
const MAX_ROUNDS = 7;
const MIN_ROUNDS = 3;
/** Time budget of a task in ms per candidate. */
const BUDGET_MS = 120;
/** A candidate that is this many times slower than the best after the minimum of rounds is not run again. */
const HOPELESS = 2;
/** Time in ms that a pass should take, so that clock resolution does not matter; kernels are repeated to reach it. */
const PASS_MS = 0.5;
const MAX_REPEATS = 64;
/** Length of the random pattern that fills scratch tensors. */
const PATTERN = 1 << 16;

interface Runner {
  readonly kernels: BoundKernels;
  readonly repeats: number;
  /** Shortest time of one run on the host's clock in ms. */
  best: number;
  readonly times: number[];
}

/** Times the candidates of ops on scratch buffers. Candidates take turns, so that noise affects all of them. */
export class CandidateTimer {
  readonly #device: Device;
  readonly #stopwatch: Stopwatch;

  constructor(device: Device) {
    this.#device = device;
    this.#stopwatch = new Stopwatch(device);
  }

  /** Clock on which candidates are timed. */
  get clock(): "device" | "host" {
    return this.#stopwatch.clock;
  }

  /** Returns the times of a task's candidates, in order, or null if `shouldStop` returned true between runs. */
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

  /** Compiles each candidate by running it once. A candidate that does not compile becomes null. */
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
        const repeats = Math.min(MAX_REPEATS, Math.max(1, Math.ceil(PASS_MS / Math.max(once, 0.001))));
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
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (round >= MIN_ROUNDS && performance.now() - start > BUDGET_MS * runners.length) break;
      const best = Math.min(...runners.map((runner) => runner.best));
      for (const runner of runners) {
        if (round >= MIN_ROUNDS && runner.best > HOPELESS * best) continue;
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

  /** Allocates the task's tensors, and scratch memory large enough for every candidate. */
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

/** Returns the shortest run, because noise can only slow a run down. */
function timeOf(runner: Runner | null): number | null {
  if (runner === null) return null;
  const time = runner.times.length > 0 ? Math.min(...runner.times) : runner.best;
  return Number.isFinite(time) ? time : null;
}

/** Fills float tensors with numbers between -1 and 1. Others stay zero, which is a valid index. */
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
