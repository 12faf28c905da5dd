import { setImmediate } from "node:timers/promises";
import { TimestampRecorder } from "../../device/timestamps.ts";
import type { FedBlock, Feed, FeedContext, RunOptions } from "./feed.ts";

/** Maximum device time of one submit in ms, so that interrupts are noticed. */
const SUBMIT_CAP = 500;

/**
 * Runs steps on the batch that is on the device, with as many steps per submit as possible and one wait at the end.
 * This measures the device without the host: no batch is taken and no loss is read.
 */
export class UnattendedFeed implements Feed {
  readonly amortised = true;
  readonly #context: FeedContext;
  readonly #stepsPerSubmit: number;

  /** @param stepMs approximate time of a step in ms */
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

  relocate(): void {}

  free(): void {}
}
