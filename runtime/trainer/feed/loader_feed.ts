import { setImmediate } from "node:timers/promises";
import { InterruptedError } from "../../core/errors.ts";
import type { Loader } from "../../data/loader/loader.ts";
import type { Recorder } from "../../record/recorder.ts";
import { type FedBlock, type Feed, type HostStep, type RunOptions, takeBatch } from "./feed.ts";

/** Runs the loader alone: takes batches and releases them. */
export class LoaderFeed implements Feed {
  readonly amortised = false;
  readonly #loader: Loader;
  readonly #recorder: Recorder | null;
  readonly #shouldStop: () => boolean;

  constructor(loader: Loader, recorder: Recorder | null, shouldStop: () => boolean) {
    this.#loader = loader;
    this.#recorder = recorder;
    this.#shouldStop = shouldStop;
  }

  async run(steps: number, { source = this.#loader, onStep }: RunOptions = {}): Promise<FedBlock> {
    const done: HostStep[] = [];
    const start = performance.now();
    let stepStart = start;
    let interrupted = false;
    while (done.length < steps && !(interrupted = this.#shouldStop())) {
      try {
        const costs = await takeBatch(source, this.#recorder, null);
        await setImmediate();
        const now = performance.now();
        done.push({ ...costs, batchCost: now - stepStart, timed: null, deviceQueue: null });
        stepStart = now;
        onStep?.(done.length);
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error;
        interrupted = true;
        break;
      }
    }
    return { steps: done, wall: stepStart - start, runtimeWait: 0, outcomes: [], interrupted };
  }

  relocate(): void {}

  free(): void {}
}
