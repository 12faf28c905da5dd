import { setImmediate } from "node:timers/promises";
import { InterruptedError } from "../../core/errors.ts";
import type { Readback } from "../../device/readback.ts";
import { TimestampRecorder } from "../../device/timestamps.ts";
import type { BatchBuffers } from "../../engine/batch_buffers.ts";
import { decodeOutcomes, type StepOutcome } from "../../engine/model_state.ts";
import type { Placement } from "../../engine/placement.ts";
import {
  type BatchCosts,
  type BatchSource,
  type FedBlock,
  type Feed,
  type FeedContext,
  type HostStep,
  recordLosses,
  type RunOptions,
  type StepExecutor,
  takeStep,
} from "./feed.ts";

/** Maximum device time of one submit in ms. */
const SUBMIT_CAP = 1000;

/**
 * A wait that takes less than `DONE_MS` plus this fraction of the staging time found the device already idle. The call
 * alone takes 0.05 to 0.25 ms.
 */
const DONE_MS = 0.1;
const DONE_SHARE = 0.02;

/** Batches staged on the device. */
interface Staged {
  readonly slot: number;
  /** Costs of each staged batch; fewer than a sink if the run is ending. */
  readonly costs: readonly BatchCosts[];
}

/**
 * Submits `sink` steps together. While sink j runs, the batches of sink j + 1 are staged. The losses of sink j are read
 * while sink j + 1 runs, so that the runtime's sleep overlaps the device's work. A sink that would take the device more
 * than about a second is split into several submits, so that interrupts are noticed and watchdogs do not fire.
 */
export class SinkFeed implements Feed {
  readonly amortised = true;
  readonly #context: FeedContext;
  readonly #sink: number;
  /** Two sets of staging buffers: one in use, one being filled. */
  readonly #stages: readonly BatchBuffers[];
  /** Shortest time of a step so far in ms. The first step, before any time is known, is submitted alone. */
  #stepMs = Infinity;
  #staged: Staged | null = null;

  /** @param sink steps per sink */
  constructor(context: FeedContext, sink: number) {
    this.#context = context;
    this.#sink = sink;
    this.#stages = [0, 1].map((n) => context.batch.staging(sink * context.batches, `stage${n}`));
  }

  /** Runs `steps` steps, a multiple of the sink. The next sink is staged when it returns. */
  async run(steps: number, options: RunOptions = {}): Promise<FedBlock> {
    if (steps % this.#sink !== 0) {
      throw new Error(`${steps} steps are not a multiple of the sink of ${this.#sink} steps`);
    }
    const { device, hasLoss, recorder, state, timing } = this.#context;
    const { executor = this.#context.executor, source = this.#context.source, onStep, onSubmit } = options;
    const done: HostStep[] = [];
    const outcomes: StepOutcome[] = [];
    let slept = 0;
    let losses: Readback | null = null;
    let sleep: Promise<unknown> | null = null;
    const collect = async () => {
      const before = performance.now();
      if (sleep !== null) {
        await sleep;
        slept += performance.now() - before;
        sleep = null;
      }
      if (losses === null) return;
      for (const bytes of await losses.finish()) outcomes.push(...decodeOutcomes(bytes));
      slept += performance.now() - before;
      recordLosses(recorder, this.#sink, before);
      losses = null;
    };
    this.#staged ??= await this.#stage(0, source);
    const start = performance.now();
    sleep = this.#sleepOfPreviousSink();
    recorder?.counter("device queue", this.#staged.costs.length, start);
    let sinkStart = start;
    let interrupted = false;
    while (done.length < steps && !interrupted) {
      const staged: Staged = this.#staged;
      if (staged.costs.length < this.#sink) {
        interrupted = true;
        break;
      }
      const first = state.steps;
      let ran = 0;
      let deviceQueue = this.#sink;
      let timed = 0;
      while (ran < this.#sink && !interrupted) {
        const most = this.#mostSteps(executor);
        const to = Math.min(this.#sink, ran + this.#stepsPerSubmit(most));
        if (to < Math.min(this.#sink, ran + most)) device.counts.splits++;
        const encodeStart = performance.now();
        const encoder = device.gpu.createCommandEncoder({ label: `steps ${first + ran} to ${first + to - 1}` });
        for (let i = ran; i < to; i++) this.#encodeStep(encoder, executor, staged.slot, i);
        this.#context.timestamps?.endSubmit(encoder);
        const read = to === this.#sink && hasLoss ? this.#lossesOf(first, encoder) : null;
        const submitted = performance.now();
        onSubmit?.(submitted);
        if (ran === 0) recorder?.counter("device queue", 0, submitted);
        device.submit(encoder);
        recorder?.span("main", "encode", encodeStart, submitted);
        recorder?.span("main", "submit", submitted, performance.now());
        if (timing === "sync") device.wait();
        timed += performance.now() - encodeStart;
        const stageStart = performance.now();
        let [staging, collecting] = [0, 0];
        if (ran === 0) {
          this.#staged = await this.#stage(1 - staged.slot, source);
          staging = performance.now() - stageStart;
          await collect();
          collecting = performance.now() - stageStart - staging;
        }
        const waitStart = performance.now();
        device.wait();
        // The device finished before the next sink was staged, and reading the losses was not the cause
        if (performance.now() - waitStart < DONE_MS + DONE_SHARE * staging && staging > collecting) deviceQueue = 0;
        recorder?.span("main", "wait", waitStart, performance.now());
        this.#stepMs = Math.min(this.#stepMs, (performance.now() - submitted) / (to - ran));
        state.steps += to - ran;
        ran = to;
        onStep?.(done.length + ran);
        read?.wait();
        losses = read;
        interrupted = ran < this.#sink && this.#context.shouldStop();
      }
      if (interrupted && hasLoss) outcomes.push(...await state.outcomes(first, ran));
      const now = performance.now();
      const each = {
        batchCost: (now - sinkStart) / ran,
        deviceQueue,
        timed: timing === "host" || timing === "sync" ? timed / ran : null,
      };
      recorder?.keep({ track: "main", name: `sink of ${ran} steps`, start: sinkStart, end: now });
      for (let i = 0; i < ran; i++) done.push({ ...staged.costs[i]!, ...each });
      sinkStart = now;
      interrupted ||= this.#context.shouldStop();
    }
    const runtimeWait = slept;
    await collect();
    return { steps: done, wall: sinkStart - start, runtimeWait, outcomes, interrupted };
  }

  relocate(placement: Placement): void {
    for (const stage of this.#stages) stage.relocate(placement);
  }

  free(): void {
    for (const stage of this.#stages) stage.free();
  }

  /**
   * Starts the sleep that reading the previous sink's losses would cause. These losses were read at the end of the
   * previous block, but without the sleep a block of few sinks would seem faster than a block of many.
   */
  #sleepOfPreviousSink(): Promise<unknown> | null {
    const { device, hasLoss, state } = this.#context;
    return state.steps === 0 || !hasLoss ? null : device.gpu.queue.onSubmittedWorkDone();
  }

  /** Returns the largest number of steps whose timestamps fit in a submit. */
  #mostSteps({ phases }: StepExecutor): number {
    return Math.max(1, Math.min(this.#sink, Math.floor(TimestampRecorder.passesPerSubmit / phases.length)));
  }

  #stepsPerSubmit(most: number): number {
    return Math.max(1, Math.min(most, Math.floor(SUBMIT_CAP / this.#stepMs)));
  }

  /** Copies the batches of a sink to the device; fewer if `shouldStop` returns true. */
  async #stage(slot: number, source: BatchSource): Promise<Staged> {
    const { batches, device, recorder } = this.#context;
    const stage = this.#stages[slot]!;
    const costs: BatchCosts[] = [];
    try {
      for (let i = 0; i < this.#sink && !this.#context.shouldStop(); i++) {
        costs.push(await takeStep(source, recorder, batches, (tensors, n) => stage.write(tensors, i * batches + n)));
        recorder?.counter("device queue", i + 1);
      }
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
    }
    // Lets signals, worker errors and a lost device be noticed
    await setImmediate();
    device.check();
    return { slot, costs };
  }

  #lossesOf(first: number, encoder: GPUCommandEncoder): Readback {
    const read = this.#context.state.readback(first, this.#sink);
    read.encode(encoder);
    return read;
  }

  #encodeStep(encoder: GPUCommandEncoder, executor: StepExecutor, slot: number, index: number): void {
    const { batch, batches, timestamps } = this.#context;
    this.#stages[slot]!.copy(encoder, index * batches, batch);
    executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
  }
}
