import { setImmediate } from "node:timers/promises";
import { InterruptedError } from "../core/errors.ts";
import type { StepOutcome } from "../engine/model_state.ts";
import { type FedBlock, type Feed, type FeedContext, type HostStep, takeBatch } from "./context.ts";

/**
 * Each step by itself: take a batch, copy it, submit, wait, next. The wait is called but not awaited: the device is done
 * when the call returns, and the promise only sleeps.
 */
export class HostFeed implements Feed {
  readonly amortised = false;
  readonly #context: FeedContext;
  readonly #monitorSteps: boolean;

  /** @param options `monitor: "step"` reads each step's loss back at once, as a loop with `.item()` does */
  constructor(context: FeedContext, options: { monitor: "block" | "step" }) {
    this.#context = context;
    this.#monitorSteps = options.monitor === "step";
  }

  async run(steps: number): Promise<FedBlock> {
    const context = this.#context;
    const { device, executor, loader, state, timestamps } = context;
    const done: HostStep[] = [];
    const outcomes: StepOutcome[] = [];
    const sleptBefore = device.counts.runtimeWait;
    const start = performance.now();
    let stepStart = start;
    let interrupted = false;
    for (let i = 0; i < steps && !interrupted; i++) {
      if (context.shouldStop()) {
        interrupted = true;
        break;
      }
      let taken;
      try {
        taken = await takeBatch(loader, (batch) => {
          device.write(context.input, 0, batch.input);
          device.write(context.target, 0, batch.target);
        });
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error;
        interrupted = true;
        break;
      }
      const encoder = device.gpu.createCommandEncoder({ label: `step ${context.stepsDone}` });
      executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
      timestamps?.endSubmit(encoder);
      device.submit(encoder);
      device.wait();
      context.stepsDone++;
      if (this.#monitorSteps) outcomes.push(...await state.outcomes(context.stepsDone - 1, 1));
      const end = performance.now();
      if (i < steps - 1) await setImmediate();
      const next = i < steps - 1 ? performance.now() : end;
      done.push({ batchCost: next - stepStart, ...taken });
      stepStart = next;
    }
    return {
      steps: done,
      wall: stepStart - start,
      runtimeWait: device.counts.runtimeWait - sleptBefore,
      outcomes: this.#monitorSteps ? outcomes : null,
      interrupted,
    };
  }

  free(): void {}
}
