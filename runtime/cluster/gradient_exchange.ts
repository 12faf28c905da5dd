import { StepWord } from "../../ops/optimizer/step_state.ts";
import { type Bucket, type BucketChunk, bucketsOf, chunksOf } from "../compile/gradient_buckets.ts";
import type { Plan } from "../compile/plan.ts";
import { ClusterError, InputError } from "../core/errors.ts";
import { pcg4d } from "../core/random.ts";
import { roundUp } from "../core/round_up.ts";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { Executor } from "../engine/executor.ts";
import type { ModelState, StepOutcome } from "../engine/model_state.ts";
import { allReduceParts, type AllReduceTimes, type BucketTimes } from "../record/all_reduce.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Cluster, ReduceTimes } from "./cluster.ts";
import { type CopiedRanges, GradientCopy } from "./gradient_copy.ts";

/** State that a rank reports before a step. */
export type RankStatus = "ready" | "stop" | "failed";

const STATUSES: readonly RankStatus[] = ["ready", "stop", "failed"];

/** Another rank has failed; its own message says why. */
export class OtherRankError extends InputError {}

/** Settings of `distribute`, with the seed of the training. */
export interface Distribution {
  readonly cluster: Cluster;
  /** Bytes of gradients in one all-reduce. */
  readonly bucket: number;
  /** Starts the all-reduce of a bucket while the backward pass goes on. */
  readonly overlap: boolean;
  /** Type in which ranks exchange gradients; null for f32. */
  readonly compress: "f16" | null;
  readonly seed: number;
}

/** A bucket, the values that ranks exchange for it, and its times. */
interface Exchanged extends CopiedRanges {
  readonly bucket: Bucket;
  calls: number;
  total: number;
}

/** Passes of a step, and the buckets that they complete. */
interface Chunk extends Pick<BucketChunk, "end"> {
  readonly buckets: readonly Exchanged[];
  readonly copy: GradientCopy;
}

type Encoding = Pick<Executor, "encode">;

/** Runs steps whose gradients are the means over all ranks. */
export class GradientExchange {
  readonly #distribution: Distribution;
  readonly #device: Device;
  readonly #state: ModelState;
  readonly #chunks: readonly Chunk[];

  /** Gives random ops another key on each rank, since each has other samples. */
  constructor(device: Device, state: ModelState, plan: Plan, distribution: Distribution) {
    const { cluster, bucket, overlap, seed } = distribution;
    this.#distribution = distribution;
    this.#device = device;
    this.#state = state;
    const { dtype } = plan.parameters;
    this.#chunks = chunksOf(plan, bucketsOf(plan, bucket), !overlap).map(({ end, buckets }) => {
      const exchanged = buckets.map((bucket) => this.#exchanged(bucket, dtype === "f16" ? 2 : 4));
      return { end, buckets: exchanged, copy: new GradientCopy(device, dtype, exchanged) };
    });
    if (cluster.rank > 0) {
      const key = new Uint32Array([pcg4d(seed, cluster.rank, 0, 0)[0]]);
      device.write(state.buffers.get("step")!, StepWord.seed * 4, key);
    }
  }

  /**
   * Exchanges the ranks' statuses of a step.
   *
   * @returns true if the step counts, false if a rank is interrupted
   * @throws {OtherRankError} if another rank has failed
   */
  async agree(status: RankStatus): Promise<boolean> {
    const { cluster } = this.#distribution;
    const codes = await cluster.numbers(STATUSES.indexOf(status));
    const failed = codes.findIndex((code) => STATUSES[code] === "failed");
    if (failed >= 0 && status !== "failed") {
      throw new OtherRankError(`${cluster.nameOf(failed)} failed before a step`);
    }
    return codes.every((code) => STATUSES[code] === "ready");
  }

  /**
   * Runs a step: forward and backward pass, the mean of the gradients over the ranks, and the update. While the device works,
   * the ranks exchange their statuses; if not all are ready, the step ends without an update.
   *
   * @returns the times of the all-reduce; null without an update
   * @throws {OtherRankError} if another rank has failed before the step
   * @throws {ClusterError} if this rank fails in the middle of it, where the others wait for its gradients
   */
  async step(
    executor: Encoding,
    timestamps: TimestampRecorder | null,
    recorder: Recorder | null,
  ): Promise<AllReduceTimes | null> {
    try {
      return await this.#step(executor, timestamps, recorder);
    } catch (error) {
      if (error instanceof ClusterError || error instanceof InputError) throw error;
      const { cluster } = this.#distribution;
      const reason = error instanceof Error ? error.message : String(error);
      throw new ClusterError(`${cluster.nameOf(cluster.rank)} failed in a step: ${reason}`, { cause: error });
    }
  }

  async #step(
    executor: Encoding,
    timestamps: TimestampRecorder | null,
    recorder: Recorder | null,
  ): Promise<AllReduceTimes | null> {
    const agreed = this.agree("ready");
    agreed.catch(() => {}); // awaited below
    const gradients = this.#state.buffers.get("gradients")!;
    const reduced: { readonly part: Exchanged; readonly chunk: Chunk; readonly times: Promise<ReduceTimes> }[] = [];
    let [backwardDone, copiedOut] = [0, 0];
    let first = 0;
    this.#submitPasses(executor, timestamps, first, this.#chunks[0]!.end);
    for (const [i, chunk] of this.#chunks.entries()) {
      this.#device.wait();
      backwardDone = performance.now();
      this.#submit((encoder) => chunk.copy.encode(encoder, gradients));
      chunk.copy.wait();
      first = chunk.end;
      const next = this.#chunks[i + 1];
      // The device works on the next passes while the runtime sleeps before it delivers these gradients
      if (next !== undefined) this.#submitPasses(executor, timestamps, first, next.end);
      const sleeps = performance.now();
      await chunk.copy.read();
      copiedOut = performance.now();
      if (next === undefined) this.#device.counts.runtimeWait += performance.now() - sleeps;
      if (i === 0 && !await agreed) return null;
      for (const part of chunk.buckets) reduced.push({ part, chunk, times: this.#reduce(part) });
    }
    const transfers: ReduceTimes[] = [];
    let copyIn = 0;
    for (const { part, chunk, times } of reduced) {
      const transfer = await times;
      transfers.push(transfer);
      this.#record(recorder, part, transfer);
      const start = performance.now();
      chunk.copy.write(part, gradients, this.#scale);
      copyIn += performance.now() - start;
    }
    const end = performance.now();
    this.#submitPasses(executor, timestamps, first, Infinity);
    const times = allReduceParts({ backwardDone, copiedOut, end, copyIn, transfers });
    recordParts(recorder, backwardDone, times);
    return times;
  }

  /** Returns the transfers of each bucket since the last call. */
  takeBuckets(): BucketTimes[] {
    return this.#chunks.flatMap(({ buckets }) => buckets).map((part) => {
      const { bucket: { parameters }, values, calls, total } = part;
      [part.calls, part.total] = [0, 0];
      return { bytes: values.byteLength, parameters, calls, total };
    });
  }

  /** Replaces each loss by the mean over the ranks. */
  async averageLosses(outcomes: readonly StepOutcome[]): Promise<StepOutcome[]> {
    const { cluster } = this.#distribution;
    const losses = outcomes.length === 0 ? [] : await cluster.sum(outcomes.map(({ loss }) => loss));
    return outcomes.map((outcome, i) => ({ ...outcome, loss: losses[i]! / cluster.size }));
  }

  free(): void {
    for (const { copy } of this.#chunks) copy.free();
  }

  #exchanged(bucket: Bucket, elementBytes: number): Exchanged {
    const { cluster: { size }, compress } = this.#distribution;
    const count = bucket.ranges.reduce((sum, range) => sum + range.size, 0) / elementBytes;
    const values = compress === "f16"
      ? new Float16Array(new SharedArrayBuffer(2 * roundUp(count, size)))
      : new Float32Array(new SharedArrayBuffer(4 * count));
    return { bucket, ranges: bucket.ranges, values, calls: 0, total: 0 };
  }

  #reduce({ values }: Exchanged): Promise<ReduceTimes> {
    const { cluster } = this.#distribution;
    const times = values instanceof Float16Array ? cluster.averageF16(values) : cluster.sumGradients(values);
    times.catch(() => {}); // awaited after the backward pass
    return times;
  }

  /** Factor from the exchanged values to means. */
  get #scale(): number {
    const { cluster, compress } = this.#distribution;
    return compress === null ? 1 / cluster.size : 1;
  }

  #record(recorder: Recorder | null, part: Exchanged, { ready, done }: ReduceTimes): void {
    part.calls++;
    part.total += done - ready;
    const { parameters } = part.bucket;
    const args = { bytes: part.values.byteLength, ranks: this.#distribution.cluster.size, parameters };
    recorder?.keep({ track: "network", name: "all-reduce", start: ready, end: done, args });
  }

  #submitPasses(executor: Encoding, timestamps: TimestampRecorder | null, from: number, to: number): void {
    this.#submit((encoder) => {
      const next = timestamps === null ? undefined : () => timestamps.next();
      executor.encode(encoder, next, (_, pass) => pass >= from && pass < to);
      timestamps?.endSubmit(encoder);
    });
  }

  #submit(encode: (encoder: GPUCommandEncoder) => void): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: `step ${this.#state.steps}` });
    encode(encoder);
    this.#device.submit(encoder);
  }
}

/** Records the parts, which follow each other. */
function recordParts(recorder: Recorder | null, start: number, times: AllReduceTimes): void {
  let at = start;
  for (
    const [name, ms] of [
      ["copy out", times.copyOut],
      ["wait", times.wait],
      ["network", times.network],
      ["copy in", times.copyIn],
    ] as const
  ) {
    recorder?.span("main", `all-reduce ${name}`, at, at + ms);
    at += ms;
  }
}
