import { setImmediate } from "node:timers/promises";
import { InterruptedError } from "../core/errors.ts";
import { Readback } from "../device/readback.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import type { BatchBuffers } from "../engine/batch_buffers.ts";
import { decodeOutcomes, ringRanges, type StepOutcome } from "../engine/model_state.ts";
import {
  type BatchCosts,
  type BatchSource,
  type FedBlock,
  type Feed,
  type FeedContext,
  type HostStep,
  type RunOptions,
  type StepExecutor,
  takeBatch,
} from "./context.ts";

/** Device time that one submit should not exceed: milliseconds. */
const SUBMIT_CAP = 1000;

/**
 * A wait for the device that takes less than this and this part of the staging before it found it done already:
 * the call itself takes 0.05 to 0.25 ms.
 */
const DONE_MS = 0.1;
const DONE_SHARE = 0.02;

/** Batches that are on the device, waiting to be run, by what they cost. */
interface Staged {
  readonly slot: number;
  /** As many as were staged: fewer than a sink when the run is ending. */
  readonly costs: readonly BatchCosts[];
}

/**
 * Hands `sink` steps over at once. While sink j runs, the batches of j + 1 are staged; the losses of j arrive while
 * j + 1 runs, so that the runtime's sleep overlaps the device. A sink that would keep the device busy for more than about
 * a second is cut into several submits, so that interrupts are seen and watchdogs stay quiet.
 */
export class SinkFeed implements Feed {
  readonly amortised = true;
  readonly #context: FeedContext;
  readonly #sink: number;
  /** Two stages, one in work and one that fills. */
  readonly #stages: readonly BatchBuffers[];
  /** The shortest time of a step so far; none is known before the first, which is handed over alone. */
  #stepMs = Infinity;
  #staged: Staged | null = null;

  /** @param sink steps handed over at once */
  constructor(context: FeedContext, sink: number) {
    this.#context = context;
    this.#sink = sink;
    this.#stages = [0, 1].map((n) => context.batch.staging(sink, `stage${n}`));
  }

  /** Runs `steps` steps, a whole number of sinks. The sink that follows is staged when it returns. */
  async run(steps: number, options: RunOptions = {}): Promise<FedBlock> {
    if (steps % this.#sink !== 0) throw new Error(`${steps} steps are no whole number of sinks of ${this.#sink}`);
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
      recorder?.span("main", "monitor loss", before, performance.now());
      losses = null;
    };
    this.#staged ??= await this.#stage(0, source);
    const start = performance.now();
    sleep = this.#sleepOfSinkBefore();
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
        const to = Math.min(this.#sink, ran + this.#stepsPerSubmit(executor));
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
        // It was done before the next sink was there, and not because of the losses
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

  free(): void {
    for (const stage of this.#stages) stage.free();
  }

  /**
   * In a run that goes on, the losses of the sink before are still to come when a block begins. They were read at the end
   * of the block before; but without the runtime's sleep, a block of few sinks would seem faster than one of many.
   */
  #sleepOfSinkBefore(): Promise<unknown> | null {
    const { device, hasLoss, state } = this.#context;
    return state.steps === 0 || !hasLoss ? null : device.gpu.queue.onSubmittedWorkDone();
  }

  #stepsPerSubmit({ phases }: StepExecutor): number {
    const timed = Math.floor(TimestampRecorder.passesPerSubmit / phases.length);
    return Math.max(1, Math.min(this.#sink, timed, Math.floor(SUBMIT_CAP / this.#stepMs)));
  }

  /** Copies the batches of a sink to the device; fewer when the run is asked to stop. */
  async #stage(slot: number, source: BatchSource): Promise<Staged> {
    const { device, recorder } = this.#context;
    const stage = this.#stages[slot]!;
    const costs: BatchCosts[] = [];
    try {
      for (let i = 0; i < this.#sink && !this.#context.shouldStop(); i++) {
        costs.push(await takeBatch(source, recorder, (tensors) => stage.write(tensors, i)));
        recorder?.counter("device queue", i + 1);
      }
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
    }
    // Lets signals, worker errors and a lost device be seen
    await setImmediate();
    device.check();
    return { slot, costs };
  }

  #lossesOf(first: number, encoder: GPUCommandEncoder): Readback {
    const buffer = this.#context.state.buffers.get("lossRing")!;
    const read = new Readback(
      this.#context.device,
      ringRanges(first, this.#sink).map((range) => ({ buffer, ...range })),
    );
    read.encode(encoder);
    return read;
  }

  #encodeStep(encoder: GPUCommandEncoder, executor: StepExecutor, slot: number, index: number): void {
    const { batch, timestamps } = this.#context;
    this.#stages[slot]!.copy(encoder, index, batch);
    executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
  }
}
