import { summarize } from "../../analysis/metrics.ts";
import { InterruptedError, TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { type AdapterInfo, describeDevice } from "../../device/adapter.ts";
import { parseSteps } from "../../attach/settings.ts";
import { programFindings } from "../../analysis/attach/advice/findings.ts";
import { median } from "../../analysis/attach/median.ts";
import type { Arm, ArmRecord, OnProgress } from "../arm.ts";
import type { HeldEvent } from "../../programs/protocol.ts";
import { ProgramProcess } from "../../programs/program_process.ts";
import { toByPhase } from "../../record/phases.ts";
import type { AttachedProgram, Block, Loss, Unit, VariantResult } from "../../result/schema.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type { ResolvedProgram } from "../../scenario/program.ts";
import { hostResult } from "../host_result.ts";
import { profileProgram, type ProgramProfile } from "./profile_program.ts";
import { programCounts } from "./program_counts.ts";

/** Place of a program in a comparison. */
export interface ProgramPlace {
  /** Settings in its result. */
  readonly config: VariantResult["config"];
  interrupted(): boolean;
  /** Called with the adapter of the program once it is known. */
  onAdapter(info: AdapterInfo): void;
  /** Called if the program was measured, but cannot be profiled. */
  onProfileFailure(message: string): void;
}

/** Arm that runs a program in a separate process. */
export class ProgramArm implements Arm {
  readonly name: string;
  readonly unit = 1;
  readonly stateful = true;
  readonly blocks: Block[] = [];
  readonly losses: (Loss | null)[] = [];
  failure: Error | null = null;
  interrupted = false;
  readonly #program: ResolvedProgram;
  readonly #place: ProgramPlace;
  #process: ProgramProcess | null = null;
  #adapter: AdapterInfo | null = null;
  #setup: number | null = null;
  #firstStep: number | null = null;
  #profile: ProgramProfile | null = null;

  constructor(program: ResolvedProgram, place: ProgramPlace) {
    this.name = program.name;
    this.#program = program;
    this.#place = place;
  }

  get unitOfRate(): Unit {
    return `${this.#program.program.unit}/s`;
  }

  get running(): boolean {
    return this.failure === null && !this.interrupted;
  }

  get steps(): number {
    return this.losses.length;
  }

  /** Adapter that the program uses; null before its first step. */
  get adapter(): AdapterInfo | null {
    return this.#adapter;
  }

  fail(error: unknown): void {
    this.failure = isInstance(error, Error) ? error : new Error(String(error));
  }

  interrupt(): void {
    if (this.failure === null) this.interrupted = true;
  }

  /** Starts the program and holds it after its first step. */
  async prepare(): Promise<void> {
    if (this.#process !== null) return;
    const begin = performance.now();
    const { program: { steps, cwd, timeout }, words, env } = this.#program;
    this.#process = await ProgramProcess.start({
      ...{ command: words, cwd, env, timeout, interrupted: this.#place.interrupted },
      steps: parseSteps(steps)!,
      profiled: false,
    });
    const { device, losses } = await this.#process.held();
    this.losses.push(...losses);
    this.#adapter = device && describeDevice(device).info;
    if (this.#adapter !== null) this.#place.onAdapter(this.#adapter);
    this.#setup = performance.now() - begin;
  }

  async warmUp(steps: number, onStep: (done: number) => void = () => {}): Promise<{ wall: number }> {
    const { times } = await this.#run(steps, onStep);
    return { wall: sum(times) };
  }

  endWarmUp(): void {}

  async block(
    ...[place, count, { onStep }]: Parameters<Arm["block"]>
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    const first = this.steps;
    const { times, losses } = await this.#run(count, onStep);
    const block: Block = {
      ...place,
      samples: count * this.#program.program.perStep,
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
    };
    this.blocks.push(block);
    return { block, host: { runtimeWait: 0, counts: {}, letData: [], hostQueue: [], deviceQueue: [] } };
  }

  skip(losses: readonly (Loss | null)[]): void {
    this.losses.push(...losses);
  }

  restoreBlock({ block }: Omit<KeptBlock, "arm">): void {
    this.blocks.push(block);
  }

  record(): ArmRecord {
    const { name, blocks, losses, failure } = this;
    const metrics = summarize({
      blocks,
      runtimeWaits: blocks.map(() => NaN),
      amortised: false,
      unit: this.unitOfRate,
      setup: this.#setup,
      firstStep: this.#firstStep,
      accuracy: null,
      timing: null,
      profilingCost: null,
    });
    const status: VariantResult["status"] = failure !== null ? "failed" : this.interrupted ? "interrupted" : "ok";
    const error = failure && {
      message: failure.message,
      exitStatus: failure instanceof TachoError ? failure.exitStatus : 1,
    };
    const reported = losses.some((loss) => loss !== null) ? losses : [];
    const measured = { metrics, status, error, blocks, losses: reported };
    const variant = hostResult(name, this.#place.config, measured);
    if (this.#profile === null) return { variant, timeline: null, ablations: null, data: null };
    const { result, timeline } = this.#profile;
    const exact = programCounts(result);
    return {
      variant: {
        ...variant,
        attached: result as unknown as AttachedProgram,
        findings: programFindings(result),
        ...exact === null ? {} : { exact },
      },
      ...{ timeline, ablations: null, data: null },
    };
  }

  /** True unless the program's options say otherwise: the measured blocks know nothing of its kernels. */
  get alwaysProfiled(): boolean {
    return this.#program.program.profile;
  }

  /** Runs the program once more to profile it. The measured blocks count even if this fails. */
  async profile(onStep: OnProgress): Promise<void> {
    if (!this.alwaysProfiled || this.blocks.length === 0) return;
    const { interrupted, onProfileFailure } = this.#place;
    const stepTime = median(this.blocks.map(({ wall, steps }) => wall / steps.length));
    const warmUp = this.blocks[0]!.steps[0]!.index;
    try {
      this.#profile = await profileProgram(this.#program, { stepTime, warmUp }, { interrupted, onStep });
    } catch (error) {
      if (isInstance(error, InterruptedError) || !isInstance(error, TachoError)) throw error;
      onProfileFailure(`${this.name} was measured, but not profiled: ${error.message}`);
    }
  }

  async close(): Promise<void> {
    const started = this.#process;
    this.#process = null;
    await started?.close();
  }

  async #run(steps: number, onStep: (done: number) => void): Promise<HeldEvent> {
    const held = await this.#process!.run(steps, onStep);
    this.losses.push(...held.losses);
    this.#firstStep ??= held.times[0] ?? null;
    onStep(steps);
    return held;
  }
}

function sum(times: readonly number[]): number {
  return times.reduce((total, time) => total + time, 0);
}
