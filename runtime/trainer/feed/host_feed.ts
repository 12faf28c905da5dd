import { setImmediate } from "node:timers/promises";
import { InterruptedError } from "../../core/errors.ts";
import { LOSS_RING_STEPS } from "../../../ops/optimizer/step_state.ts";
import type { Readback } from "../../device/readback.ts";
import type { AllReduceTimes } from "../../record/all_reduce.ts";
import { decodeOutcomes, type StepOutcome } from "../../engine/model_state.ts";
import {
  type FedBlock,
  type Feed,
  type FeedContext,
  type HostStep,
  recordLosses,
  type RunOptions,
  takeStep,
} from "./feed.ts";

/**
 * Maximum number of steps submitted before a wait in timings without waits between steps; their batches need memory.
 */
const STEPS_AHEAD = 64;

/**
 * Runs each step separately: take a batch, copy it, submit, wait. The promise of the wait is not awaited, because the
 * device is done when the call returns and the promise only sleeps. With `host` and `event` timing, the only wait is at
 * the end.
 *
 * Batch costs add up to the block's wall time. The steps share the time of what follows the last of them: the only wait of
 * `host` and `event` timing, and the readback of the block's losses up to the runtime's sleep, as in a sink.
 */
export class HostFeed implements Feed {
  readonly amortised = false;
  readonly #context: FeedContext;
  readonly #monitorSteps: boolean;

  /** @param options `monitor: "step"` reads each loss back after its step, like a loop with `.item()` in PyTorch */
  constructor(context: FeedContext, options: { monitor: "block" | "step" }) {
    this.#context = context;
    this.#monitorSteps = options.monitor === "step";
  }

  async run(steps: number, options: RunOptions = {}): Promise<FedBlock> {
    const context = this.#context;
    const { batch, batches, device, hasLoss, recorder, state, timestamps, timing } = context;
    const { executor = context.executor, source = context.source, onStep, onSubmit } = options;
    const exchange = options.executor === undefined ? context.exchange : null;
    const waits = timing === null || timing === "sync";
    const done: HostStep[] = [];
    const outcomes: StepOutcome[] = [];
    const sleptBefore = device.counts.runtimeWait;
    const start = performance.now();
    let stepStart = start;
    let interrupted = false;
    let unshared = 0;
    /** Adds equal parts of `ms` to the steps since the last call. */
    const share = (ms: number) => {
      const part = ms / (done.length - unshared);
      for (; unshared < done.length; unshared++) {
        const step = done[unshared]!;
        done[unshared] = { ...step, batchCost: step.batchCost + part };
      }
    };
    for (let i = 0; i < steps && !interrupted; i++) {
      if (exchange === null && context.shouldStop()) {
        interrupted = true;
        break;
      }
      let taken;
      try {
        taken = await takeStep(source, recorder, batches, (tensors, n) => batch.write(tensors, n));
      } catch (error) {
        await exchange?.agree(error instanceof InterruptedError ? "stop" : "failed");
        if (!(error instanceof InterruptedError)) throw error;
        interrupted = true;
        break;
      }
      if (exchange !== null && context.shouldStop()) {
        await exchange.agree("stop");
        interrupted = true;
        break;
      }
      const encodeStart = performance.now();
      let submitStart = encodeStart;
      let allReduce: AllReduceTimes | null = null;
      if (exchange === null) {
        const encoder = device.gpu.createCommandEncoder({ label: `step ${state.steps}` });
        executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
        timestamps?.endSubmit(encoder);
        submitStart = performance.now();
        onSubmit?.(submitStart);
        device.submit(encoder);
      } else {
        onSubmit?.(submitStart);
        allReduce = await exchange.step(executor, timestamps, recorder);
        if (allReduce === null) {
          interrupted = true;
          break;
        }
      }
      const waitStart = performance.now();
      if (waits) device.wait();
      const monitorStart = performance.now();
      const timed = timing === "host" || timing === "sync" ? monitorStart - encodeStart : null;
      if (exchange === null) {
        recorder?.span("main", "encode", encodeStart, submitStart);
        recorder?.span("main", "submit", submitStart, waitStart);
      }
      if (waits) recorder?.span("main", "wait", waitStart, monitorStart);
      state.steps++;
      const unread = done.length + 1 - outcomes.length;
      if (hasLoss && (this.#monitorSteps || unread === LOSS_RING_STEPS)) {
        outcomes.push(...await state.outcomes(state.steps - unread, unread));
        recordLosses(recorder, unread, monitorStart);
      }
      const end = performance.now();
      if (i < steps - 1) await setImmediate();
      device.check();
      const next = i < steps - 1 ? performance.now() : end;
      recorder?.span("main", "yield", end, next);
      done.push({ batchCost: next - stepStart, ...taken, deviceQueue: null, timed, allReduce });
      stepStart = next;
      if (!waits && done.length % STEPS_AHEAD === 0) {
        this.#drain();
        const drained = performance.now();
        share(drained - stepStart);
        stepStart = drained;
      }
      onStep?.(done.length);
    }
    const ended = performance.now();
    if (!waits) this.#drain();
    const readStart = performance.now();
    const unread = done.length - outcomes.length;
    const losses = hasLoss && unread > 0 ? this.#requestLosses(unread) : null;
    const tail = performance.now() - ended;
    share(tail);
    const wall = stepStart - start + tail;
    const runtimeWait = device.counts.runtimeWait - sleptBefore;
    if (losses !== null) {
      for (const bytes of await losses.finish()) outcomes.push(...decodeOutcomes(bytes));
      recordLosses(recorder, unread, readStart);
    }
    const means = exchange === null ? outcomes : await exchange.averageLosses(outcomes);
    const buckets = exchange === null ? {} : { buckets: exchange.takeBuckets() };
    return { steps: done, wall, runtimeWait, outcomes: means, interrupted, ...buckets };
  }

  /** Waits for all submitted steps. */
  #drain(): void {
    const start = performance.now();
    this.#context.device.wait();
    this.#context.recorder?.span("main", "wait", start, performance.now());
  }

  /** Copies the losses of the last steps and waits for the copy. */
  #requestLosses(count: number): Readback {
    const { device, state } = this.#context;
    const losses = state.readback(state.steps - count, count);
    const encoder = device.gpu.createCommandEncoder({ label: "losses" });
    losses.encode(encoder);
    device.submit(encoder);
    losses.wait();
    return losses;
  }

  relocate(): void {}

  free(): void {
    this.#context.exchange?.free();
  }
}
