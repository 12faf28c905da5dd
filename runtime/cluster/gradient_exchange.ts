import { StepWord } from "../../ops/optimizer/step_state.ts";
import type { Plan } from "../compile/plan.ts";
import type { FloatType } from "../core/dtype.ts";
import { InputError, InterruptedError } from "../core/errors.ts";
import { decode, encode } from "../core/f16.ts";
import { pcg4d } from "../core/random.ts";
import type { Device } from "../device/device.ts";
import { Readback } from "../device/readback.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { Executor } from "../engine/executor.ts";
import type { ModelState, StepOutcome } from "../engine/model_state.ts";
import type { Recorder } from "../record/recorder.ts";
import { type Bucket, bucketsOf } from "./buckets.ts";
import type { Cluster } from "./cluster.ts";

/** State that a rank reports before a step. */
export type RankStatus = "ready" | "stop" | "failed";

const STATUSES: readonly RankStatus[] = ["ready", "stop", "failed"];

/** Training on several ranks: the cluster and the size of a bucket in bytes. */
export interface Distribution {
  readonly cluster: Cluster;
  readonly bucket: number;
  readonly seed: number;
}

/** Runs steps whose gradients are the means over all ranks. */
export class GradientExchange {
  readonly #cluster: Cluster;
  readonly #device: Device;
  readonly #state: ModelState;
  readonly #buckets: readonly Bucket[];
  readonly #dtype: FloatType;

  /** Gives random ops another key on each rank, since each has other samples. */
  constructor(device: Device, state: ModelState, plan: Plan, { cluster, bucket, seed }: Distribution) {
    this.#cluster = cluster;
    this.#device = device;
    this.#state = state;
    this.#buckets = bucketsOf(plan, bucket);
    this.#dtype = plan.parameters.dtype;
    if (cluster.rank > 0) {
      const key = new Uint32Array([pcg4d(seed, cluster.rank, 0, 0)[0]]);
      device.write(state.buffers.get("step")!, StepWord.seed * 4, key);
    }
  }

  /**
   * Exchanges the ranks' statuses before a step.
   *
   * @returns true if the step runs, false if a rank is interrupted
   * @throws {InputError} if another rank has failed
   */
  async agree(status: RankStatus): Promise<boolean> {
    const codes = await this.#cluster.numbers(STATUSES.indexOf(status));
    const failed = codes.findIndex((code) => STATUSES[code] === "failed");
    if (failed >= 0 && status !== "failed") {
      throw new InputError(`${this.#cluster.nameOf(failed)} failed before a step; its message is above`);
    }
    return codes.every((code) => STATUSES[code] === "ready");
  }

  /** Takes a batch and agrees with the other ranks on the step. Returns null if a rank is interrupted. */
  async take<T>(take: () => Promise<T>, shouldStop: () => boolean): Promise<T | null> {
    let taken: T;
    try {
      taken = await take();
    } catch (error) {
      await this.agree(error instanceof InterruptedError ? "stop" : "failed");
      if (error instanceof InterruptedError) return null;
      throw error;
    }
    return await this.agree(shouldStop() ? "stop" : "ready") ? taken : null;
  }

  /** Runs a step: forward and backward pass, the mean of the gradients over the ranks, and the update. */
  async step(
    executor: Pick<Executor, "encode">,
    timestamps: TimestampRecorder | null,
    recorder: Recorder | null,
  ): Promise<void> {
    const readback = this.#submitBackward(executor, timestamps);
    readback.wait();
    const backwardDone = performance.now();
    await this.#cluster.numbers(0);
    const allReady = performance.now();
    recorder?.span("main", "all-reduce wait", backwardDone, allReady);
    const ranges = await readback.finish();
    const copied = performance.now();
    recorder?.span("main", "all-reduce copy out", allReady, copied);
    const gradients = this.#perBucket(ranges);
    const requests = gradients.map((values) => this.#cluster.allReduce(values));
    let copyIn = 0;
    for (const [i, request] of requests.entries()) {
      await this.#cluster.wait(request);
      const start = performance.now();
      this.#write(this.#buckets[i]!, gradients[i]!);
      copyIn += performance.now() - start;
    }
    const end = performance.now();
    recorder?.span("main", "all-reduce network", copied, end - copyIn);
    recorder?.span("main", "all-reduce copy in", end - copyIn, end);
    this.#submit(executor, timestamps, (phase) => phase === "update");
  }

  /** Replaces each loss by the mean over the ranks. */
  async averageLosses(outcomes: readonly StepOutcome[]): Promise<StepOutcome[]> {
    const losses = Float64Array.from(outcomes, ({ loss }) => loss);
    if (losses.length > 0) await this.#cluster.sum(losses);
    return outcomes.map((outcome, i) => ({ ...outcome, loss: losses[i]! / this.#cluster.size }));
  }

  #submitBackward(executor: Pick<Executor, "encode">, timestamps: TimestampRecorder | null): Readback {
    const buffer = this.#state.buffers.get("gradients")!;
    const ranges = this.#buckets.flatMap((bucket) => bucket.ranges.map((range) => ({ buffer, ...range })));
    const readback = new Readback(this.#device, ranges);
    this.#submit(executor, timestamps, (phase) => phase !== "update", readback);
    return readback;
  }

  #submit(
    executor: Pick<Executor, "encode">,
    timestamps: TimestampRecorder | null,
    includes: (phase: string) => boolean,
    readback?: Readback,
  ): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: `step ${this.#state.steps}` });
    executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next(), includes);
    readback?.encode(encoder);
    timestamps?.endSubmit(encoder);
    this.#device.submit(encoder);
  }

  /** Joins the ranges of each bucket, in f32. */
  #perBucket(ranges: readonly ArrayBuffer[]): Float32Array<ArrayBuffer>[] {
    let next = 0;
    return this.#buckets.map((bucket) => {
      const parts = bucket.ranges.map(() => decode(ranges[next++]!, this.#dtype) as Float32Array);
      const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of parts) {
        joined.set(part, at);
        at += part.length;
      }
      return joined;
    });
  }

  /** Divides sums by the number of ranks and writes them to the device. */
  #write(bucket: Bucket, sums: Float32Array<ArrayBuffer>): void {
    const buffer = this.#state.buffers.get("gradients")!;
    const means = sums.map((value) => value / this.#cluster.size);
    const bytesPerValue = this.#dtype === "f16" ? 2 : 4;
    let at = 0;
    for (const { offset, size } of bucket.ranges) {
      const count = size / bytesPerValue;
      this.#device.write(buffer, offset, new Uint8Array(encode(means.subarray(at, at + count), this.#dtype)));
      at += count;
    }
  }
}
