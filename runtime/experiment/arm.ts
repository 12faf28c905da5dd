import type { DataFacts } from "../analysis/advice/context.ts";
import type { PlanStep } from "../analysis/advice/planned_step.ts";
import type { MeasuredAblations } from "../analysis/bottleneck/measured_ablations.ts";
import type { ClockFit } from "../record/clock_fit.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Timeline } from "../record/timeline.ts";
import type { Block, Loss, Unit, VariantResult } from "../result/schema.ts";
import type { KeptBlock, KeptTuning } from "../store/run_recorder.ts";
import type { Placement } from "../engine/placement.ts";
import type { TuningHooks } from "../engine/tuning/window.ts";

/** Called with the number of steps done and the total. */
export type OnProgress = (done: number, all: number) => void;

/** Place of a block: its round, the number of the arm's set-up, and its position in the round. */
export type BlockPlace = Pick<Required<Block>, "round" | "setup" | "position">;

/**
 * Unit of comparison: runs a block of steps on request and stays idle otherwise. A variant of a scenario is an arm; any
 * other arm is compared by the same rounds and statistics. Optional members are capabilities that an arm may lack.
 */
export interface Arm {
  readonly name: string;
  /** Unit of its throughput, such as `images/s`. */
  readonly unitOfRate: Unit;
  /** Steps per submission; blocks and warm-up are multiples of it. */
  readonly unit: number;
  /** True if steps depend on earlier ones, so that a resumed run has to repeat those. */
  readonly stateful: boolean;
  /** False if its steps are separate runs, whose times need not settle; missing for true. */
  readonly settles?: boolean;

  /** False after a failure or an interruption. */
  readonly running: boolean;
  readonly interrupted: boolean;
  readonly failure: Error | null;
  /** Ends the arm with an error and keeps its measurements. */
  fail(error: unknown): void;
  /** Ends the arm early and keeps its measurements. */
  interrupt(): void;

  /** Steps so far, warm-up included. */
  readonly steps: number;
  /** Losses of these steps; null for a step without a loss. */
  readonly losses: readonly (Loss | null)[];
  /** What it has computed, as it says itself; missing for an arm that does not. */
  readonly outputs?: readonly unknown[];
  /** Computes its outputs after the rounds; missing for an arm that has them already, or has none. */
  readOutputs?(): Promise<void>;
  /** Blocks measured so far. */
  readonly blocks: readonly Block[];

  /** Prepares to run from step `firstStep` on, and stays idle. */
  prepare(firstStep: number, onKernel?: OnProgress, onFill?: OnProgress): Promise<void>;
  /** Runs warm-up steps. Returns their wall time in ms. */
  warmUp(steps: number, onStep?: (done: number) => void): Promise<{ readonly wall: number }>;
  /** Discards the times of the warm-up. */
  endWarmUp(): void;
  /**
   * Measures a block of `steps` steps, a multiple of `unit`, and becomes idle again. Returns null if no step ran.
   *
   * @param options `drain`: first run the steps that use up batches loaded while other arms ran
   */
  block(
    place: BlockPlace,
    steps: number,
    options: { drain: boolean; onStep: (done: number) => void },
  ): Promise<Omit<KeptBlock, "arm"> | null>;
  /** Counts steps of an earlier sitting, given by their losses, as done. */
  skip(losses: readonly (Loss | null)[]): void;
  /** Adds a block measured in an earlier sitting. */
  restoreBlock(kept: Omit<KeptBlock, "arm">): void;
  /** Returns the measurements, with device times corrected by `clock`. */
  record(clock: ClockFit | null): ArmRecord;
  /** Ends processes and frees memory. Keeps the measurements. A second call does nothing. */
  close(): Promise<void>;

  /** Work on a device before the first step and between rounds. */
  readonly kernels?: ArmKernels;
  /** Choice of kernels by timing; null if there is nothing to choose. */
  readonly tuning?: ArmTuning | null;
  /** A process of its own. */
  readonly process?: ArmProcess;
  /** Evaluation on other data; null if the settings ask for none. */
  readonly evaluation?: ArmEvaluation | null;
  readonly profiling?: ArmProfiling;
  /** Times of single ops. */
  readonly opTiming?: ArmOpTiming;
  /** Ablations; null if no part of the step can be taken away. */
  readonly ablation?: ArmAblation | null;
}

/** Kernels and buffers of an arm on a device that it shares with others. */
export interface ArmKernels {
  /** Reserves shared memory before any arm is prepared. */
  reserve(): void;
  /** Compiles the shaders that its steps need, one by one, and undoes all other effects. */
  compile(onShader: OnProgress): Promise<void>;
  /** Performs one-time work of the first step, such as compilation, and undoes its effects. */
  compileOnly(): Promise<void>;
  /** Allocates its buffers elsewhere and creates its bind groups again. The training continues on the same state. */
  relocate(placement: Placement): Promise<void>;
}

/** Process in which an arm runs. */
export interface ArmProcess {
  /** Starts a fresh process and warms it up by a number of steps. */
  renew(warmUpSteps: number): Promise<void>;
  /** Ends the process, which only the measured blocks need. */
  release(): Promise<void>;
}

export interface ArmEvaluation {
  /** Epochs between evaluations. */
  readonly every: number;
  run(onBatch: OnProgress): Promise<void>;
}

/** Profiled steps of an arm. */
export interface ArmProfiling {
  /** True for an arm that is profiled even if no profile was requested. */
  readonly always: boolean;
  /** Requests profiled steps, before any other step and again after a change of plan. */
  setUp(request: ProfileRequest, onOp: OnProgress): Promise<void>;
  /** Runs the profiled steps and restores the training state. */
  run(onStep: OnProgress): Promise<void>;
}

export interface ArmOpTiming {
  /** Median relative standard error of the times of ops so far; null if they are not timed. */
  readonly error: number | null;
  /** Times each op in one more step after the profiled ones, and restores the training state. */
  time(): Promise<void>;
}

export interface ArmAblation {
  /** Measures ablations of the step and restores the training state. */
  run(seed: number, onRound: OnProgress): Promise<void>;
}

/** Measurements of an arm. */
export interface ArmRecord {
  /** Its part of the result, without comparisons between arms. */
  readonly variant: VariantResult;
  /** Profiled steps on one time axis; null if none were requested. */
  readonly timeline: Timeline | null;
  /** Steps of each rank on one time axis; missing on one rank. */
  readonly rankTimelines?: readonly Timeline[];
  readonly ablations: MeasuredAblations | null;
  /** Training data; null if unknown. */
  readonly data: DataFacts | null;
  /** Plans the variant with other settings; absent for other arms. */
  readonly plan?: PlanStep;
}

/** Choice of an arm's kernels by timing during its first steps. */
export interface ArmTuning {
  /** First step with the chosen kernels, a multiple of `unit`; 0 to use them from the start. */
  readonly switchStep: number;
  /** Chosen kernels, for a later sitting or the control arm; null before the choice. */
  readonly choice: KeptTuning | null;
  /** Uses an earlier choice instead of timing kernels. */
  adopt(choice: KeptTuning): void;
  /**
   * Times some kernels before a unit of steps, and at the switch all that remain.
   *
   * @throws {InterruptedError} if the run is interrupted
   */
  before(step: number, unit: number, hooks: TuningHooks): Promise<void>;
  /** Continues with the chosen kernels on the same state. */
  switchPlan(): Promise<void>;
}
