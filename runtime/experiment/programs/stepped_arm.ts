import { isInstance } from "../../core/is_instance.ts";
import type { HeldEvent } from "../../attach/programs/protocol.ts";
import { EndedError, type SteppedProgram } from "../../attach/programs/program_process.ts";
import { toByPhase } from "../../record/phases.ts";
import type { Block } from "../../result/schema.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type { ResolvedProgram } from "../../scenario/program.ts";
import type { Arm, ArmProcess, ArmRecord } from "../arm.ts";
import { NO_HOST, ProgramArmBase } from "./program_arm_base.ts";

/** Arm that runs a program in a separate process, which is held between its blocks. */
export abstract class SteppedArm<S extends ResolvedProgram["program"]> extends ProgramArmBase<S> implements Arm {
  readonly stateful = true;
  readonly process: ArmProcess = {
    renew: (warmUpSteps) => this.#renew(warmUpSteps),
    release: () => this.#release(),
  };
  #process: SteppedProgram | null = null;
  #setup: number | null = null;
  #firstStep: number | null = null;
  /** Warm-up steps of its first process; null before their end. */
  #warmUpSteps: number | null = null;
  /** Steps of the last process that came to its end, less those of a block that it did not complete. */
  protected lasted = Infinity;

  /** Starts the program, to be held at its first step. */
  protected abstract start(): Promise<SteppedProgram>;

  /** Starts the program and holds it after its first step. */
  async prepare(): Promise<void> {
    if (this.#process !== null) return;
    const begin = performance.now();
    this.#process = await this.start();
    this.outputs = this.#process.outputs;
    this.began(await this.#process.held());
    this.#setup = performance.now() - begin;
  }

  /** Returns the warm-up steps after which the program lasts for a block. */
  #fitting(warmUpSteps: number, block: number): number {
    return Math.min(warmUpSteps, Math.max(1, this.lasted - block));
  }

  /** Starts the program again, and warms it up. */
  async #renew(warmUpSteps: number): Promise<void> {
    await this.#release();
    this.ran.restart();
    this.#process = await this.start();
    this.began(await this.#process.held());
    const steps = Math.min(warmUpSteps, this.#warmUpSteps ?? Infinity) - this.ran.done;
    if (steps > 0) await this.#run(steps, () => {});
  }

  async warmUp(steps: number, onStep: (done: number) => void = () => {}): Promise<{ wall: number }> {
    const { times } = await this.#runOrRestart(steps, onStep);
    return { wall: sum(times) };
  }

  async block(
    ...[place, count, { onStep }]: Parameters<Arm["block"]>
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    this.#warmUpSteps ??= this.#fitting(this.ran.done, count);
    const { times, losses, work } = await this.#runOrRestart(count, onStep);
    const first = this.ran.done - count;
    const block: Block = {
      ...place,
      samples: count * this.program.program.perStep,
      wall: sum(times),
      steps: times.map((time, i) => ({
        index: first + i,
        batchCost: time,
        readerCost: null,
        stepTime: null,
        iterationGap: null,
        ...toByPhase<number>([]),
        loss: losses[i] ?? null,
      })),
      ...work === null ? {} : { work },
    };
    this.blocks.push(block);
    return { block, host: NO_HOST };
  }

  record(): ArmRecord {
    const variant = this.result({ setup: this.#setup, firstStep: this.#firstStep });
    return { variant, timeline: null, ablations: null, data: null };
  }

  /** Ends the process. */
  async #release(): Promise<void> {
    const started = this.#process;
    this.#process = null;
    await started?.close();
  }

  async close(): Promise<void> {
    await this.#release();
  }

  /** Runs steps. A program that comes to its end before them is started again. */
  async #runOrRestart(steps: number, onStep: (done: number) => void): Promise<HeldEvent> {
    try {
      return await this.#run(steps, onStep);
    } catch (error) {
      if (!isInstance(error, EndedError)) throw error;
    }
    if (this.lasted === Infinity) {
      const message =
        `${this.name} ends after about ${this.ran.done} steps, and is started again where more are needed`;
      this.place.onWarning(`${message}; let it run more steps, or measure fewer`);
    }
    this.lasted = this.ran.done;
    if (this.#warmUpSteps !== null) this.#warmUpSteps = this.#fitting(this.#warmUpSteps, steps);
    await this.#renew(this.#warmUpSteps ?? 0);
    return await this.#run(steps, onStep);
  }

  async #run(steps: number, onStep: (done: number) => void): Promise<HeldEvent> {
    const held = await this.#process!.run(steps, onStep);
    this.ran.add(held.losses);
    this.#firstStep ??= held.times[0] ?? null;
    onStep(steps);
    return held;
  }
}

function sum(times: readonly number[]): number {
  return times.reduce((total, time) => total + time, 0);
}
