import { setImmediate } from "node:timers/promises";
import { TimestampRecorder } from "../device/timestamps.ts";
import type { FedBlock, Feed, FeedContext, RunOptions } from "./context.ts";

/** Device time that one submit should not exceed, so that interrupts are seen: milliseconds. */
const SUBMIT_CAP = 500;

/**
 * Steps on whatever batch is on the device, as many in a submit as fit, and one wait at the end: the device with nothing
 * of the host in its way. No batch is taken and no loss is read.
 */
export class UnattendedFeed implements Feed {
  readonly amortised = true;
  readonly #context: FeedContext;
  readonly #stepsPerSubmit: number;

  /** @param stepMs about what a step takes: milliseconds */
  constructor(context: FeedContext, stepMs: number) {
    this.#context = context;
    const timed = Math.floor(TimestampRecorder.passesPerSubmit / context.executor.phases.length);
    this.#stepsPerSubmit = Math.max(1, Math.min(timed, Math.floor(SUBMIT_CAP / stepMs)));
  }

  async run(steps: number, options: RunOptions = {}): Promise<FedBlock> {
    const { device, timestamps } = this.#context;
    const { executor = this.#context.executor, onStep } = options;
    const start = performance.now();
    let done = 0;
    let interrupted = false;
    while (done < steps && !(interrupted = this.#context.shouldStop())) {
      const to = Math.min(steps, done + this.#stepsPerSubmit);
      const encoder = device.gpu.createCommandEncoder({ label: `steps ${done} to ${to - 1}` });
      for (; done < to; done++) executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
      timestamps?.endSubmit(encoder);
      device.submit(encoder);
      onStep?.(done);
    }
    device.wait();
    const wall = performance.now() - start;
    await setImmediate();
    device.check();
    const step = { readerCost: 0, letData: 0, hostQueue: 0, batchCost: wall / done, deviceQueue: null, timed: null };
    return { steps: Array.from({ length: done }, () => step), wall, runtimeWait: 0, outcomes: [], interrupted };
  }

  free(): void {}
}
