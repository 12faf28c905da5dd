import type { Device } from "../../device/device.ts";
import type { FedBlock } from "../../trainer/feed/feed.ts";
import type { CleanPasses } from "../../record/device_samples.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import { compileShaders } from "../../trainer/compile_shaders.ts";
import type { BlockPlace, OnProgress } from "../arm.ts";
import { drainSteps } from "../rounds/drain.ts";
import type { PreparedVariant } from "./prepared.ts";
import { countsBetween, type VariantRecord } from "./record.ts";

export interface VariantStepsOptions {
  readonly prepared: PreparedVariant;
  /** Device; null without a model. */
  readonly device: Device | null;
  readonly recorder: Recorder;
  /** Takes the measurements. */
  readonly record: VariantRecord;
  readonly batchSize: number;
  /** Steps per submission. */
  readonly unit: number;
  onInterrupt(): void;
}

/** Runs steps of a prepared variant and records them. */
export class VariantSteps {
  readonly #options: VariantStepsOptions;
  /** Time of compiling shaders before the first step, in ms. */
  #compilation = 0;

  constructor(options: VariantStepsOptions) {
    this.#options = options;
  }

  /** Runs steps without measuring a block. */
  async warmUp(steps: number, onStep?: (done: number) => void): Promise<FedBlock> {
    const { record, device } = this.#options;
    const first = record.steps === 0;
    const start = performance.now();
    const fed = await this.#run(steps, onStep);
    if (first && steps === 1) record.firstStep = this.#compilation + performance.now() - start;
    await this.#readPasses();
    await device?.settle();
    return fed;
  }

  /** Compiles the shaders one by one, which the time of the first step includes. */
  async compile(onShader: OnProgress, shouldStop: () => boolean): Promise<void> {
    const { prepared: { session }, device } = this.#options;
    if (session === null) return;
    const start = performance.now();
    const compiled = await compileShaders(session, device!, { onShader, shouldStop });
    if (compiled > 0) this.#compilation += performance.now() - start;
  }

  /** Compiles the shaders by a step that is undone. */
  async compileOnly(): Promise<void> {
    const { prepared: { session }, record, device } = this.#options;
    if (session === null) return;
    const start = performance.now();
    const before = session.state.snapshot();
    session.runOnce();
    session.state.restore(before);
    await device!.settle();
    record.firstStep = this.#compilation + performance.now() - start;
  }

  /** Measures a block; with `drain`, first uses up the batches loaded while other arms ran. */
  async block(
    place: BlockPlace,
    steps: number,
    options: { drain: boolean; onStep: (done: number) => void },
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    const { prepared: { loader, session }, device, recorder, record } = this.#options;
    if (options.drain) await this.#drain(steps);
    recorder.takeSums(); // discards those of unmeasured steps
    const before = device === null ? null : { ...device.counts };
    const fed = await this.#run(steps, options.onStep);
    const counts = before === null ? {} : countsBetween(before, device!.counts);
    const work = recorder.takeSums();
    const passes = await this.#readPasses();
    await device?.settle();
    return record.addBlock(place, fed, passes, session?.executor.phases ?? [], loader, counts, work);
  }

  /** Reads the phase times of all steps since the last call. */
  async #readPasses(): Promise<CleanPasses> {
    const { prepared: { timestamps }, record } = this.#options;
    return record.clean(await timestamps?.read() ?? []);
  }

  async #drain(steps: number): Promise<void> {
    const { prepared: { loader: { numWorkers } }, batchSize, unit } = this.#options;
    const drained = drainSteps({ steps, batchSize, numWorkers, unit });
    if (drained > 0) await this.warmUp(drained);
  }

  /** Runs steps. The loader is paused before the first and after the last step, also while losses are read. */
  async #run(steps: number, onStep?: (done: number) => void): Promise<FedBlock> {
    const { prepared: { loader, feed }, record, onInterrupt } = this.#options;
    loader.resume();
    try {
      const fed = await feed.run(steps, {
        onStep: (done) => {
          if (done >= steps) loader.pause();
          onStep?.(done);
        },
      });
      record.addSteps(fed);
      if (fed.interrupted) onInterrupt();
      return fed;
    } finally {
      loader.pause();
    }
  }
}
