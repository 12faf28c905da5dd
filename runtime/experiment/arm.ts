import type { DataFacts } from "../analysis/advice/context.ts";
import type { MeasuredAblations } from "../analysis/bottleneck/measured_ablations.ts";
import type { ClockFit } from "../record/clock_fit.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Timeline } from "../record/timeline.ts";
import type { Block, Loss, Unit, VariantResult } from "../result/schema.ts";
import type { KeptBlock, KeptTuning } from "../store/run_recorder.ts";
import type { TuningHooks } from "../engine/tuning/window.ts";

/** Called with the number of steps done, and of how many. */
export type OnProgress = (done: number, all: number) => void;

/**
 * The unit of comparison: something that runs a block of steps when told to and stands still otherwise. A variant of a
 * scenario is one; whatever else can do so is compared by the same rounds and statistics. Optional methods are what an
 * arm need not be able to do.
 */
export interface Arm {
  readonly name: string;
  /** Unit of its rate, such as `images/s`. */
  readonly unitOfRate: Unit;
  /** Steps per submission; blocks and warm-up are whole multiples of it. */
  readonly unit: number;
  /** Later steps depend on earlier ones, so that a resumed run has to repeat them. */
  readonly stateful: boolean;

  /** False once it has failed or was interrupted. */
  readonly running: boolean;
  readonly interrupted: boolean;
  readonly failure: Error | null;
  /** Ends the arm with an error; what was measured stays. */
  fail(error: unknown): void;
  /** Ends the arm before its time; what was measured stays. */
  interrupt(): void;

  /** Steps so far, warm-up included. */
  readonly steps: number;
  /** Losses of these steps; null for a step without one. */
  readonly losses: readonly (Loss | null)[];
  /** Blocks measured so far. */
  readonly blocks: readonly Block[];

  /** Gets ready to run and stands still, `firstStep` steps after the start. */
  prepare(firstStep: number): Promise<void>;
  /** Runs steps that do not count; returns their wall time in ms. */
  warmUp(steps: number, onStep?: (done: number) => void): Promise<{ readonly wall: number }>;
  /** Discards what was timed during warm-up. */
  endWarmUp(): void;
  /**
   * Measures a block of `steps` steps, a whole number of units, and stands still again. Returns null if no step was run.
   *
   * @param options `drain`: first run the steps that use up work prepared while others ran
   */
  block(
    place: { round: number; position: number },
    steps: number,
    options: { drain: boolean; onStep: (done: number) => void },
  ): Promise<Omit<KeptBlock, "arm"> | null>;
  /** Counts steps of an earlier sitting, by their losses, without running them. */
  skip(losses: readonly (Loss | null)[]): void;
  /** Adds a block that an earlier sitting measured. */
  restoreBlock(kept: Omit<KeptBlock, "arm">): void;
  /** Returns what was measured, with device times corrected by `clock`. */
  record(clock: ClockFit | null): ArmRecord;
  /** Ends processes and frees memory; what was measured stays. A second call does nothing. */
  close(): Promise<void>;

  /** Reserves memory that arms share, before any is prepared. */
  reserve?(): void;
  /** Does what only the first step does, such as compiling, and undoes its effects. */
  compileOnly?(): Promise<void>;
  /** Choice of kernels by timing them; null where there is nothing to choose. */
  readonly tuning?: ArmTuning | null;
  /** Epochs between evaluations; null without evaluation. */
  readonly evaluateEvery?: number | null;
  evaluate?(onBatch: OnProgress): Promise<void>;
  /** Asks for profiled steps, before any other step and again after another plan takes over. */
  setUpProfile?(request: ProfileRequest): Promise<void>;
  /** Runs the profiled steps, without effect on the training. */
  profile?(onStep: OnProgress): Promise<void>;
  /** Parts of its step can be taken away. */
  readonly ablatable?: boolean;
  /** Runs the step with parts taken away, without effect on the training. */
  ablate?(seed: number, onRound: OnProgress): Promise<void>;
}

/** What an arm leaves behind. */
export interface ArmRecord {
  /** Its part of the result, without what only all arms together show. */
  readonly variant: VariantResult;
  /** Profiled steps on one axis; null where none were asked for. */
  readonly timeline: Timeline | null;
  readonly ablations: MeasuredAblations | null;
  /** Training data; null where unknown. */
  readonly data: DataFacts | null;
}

/** Choice of an arm's kernels by timing them during its first steps. */
export interface ArmTuning {
  /** The step before which the chosen kernels take over, a whole number of units; 0 where they run from the start. */
  readonly switchStep: number;
  /** The choice, for a later sitting or the control arm; null before it is made. */
  readonly choice: KeptTuning | null;
  /** Takes a choice that was made before, instead of timing kernels. */
  adopt(choice: KeptTuning): void;
  /**
   * Times some kernels before a unit of steps, and at the switch all that are left.
   *
   * @throws {InterruptedError} when asked to stop
   */
  before(step: number, unit: number, hooks: TuningHooks): Promise<void>;
  /** Continues with the chosen kernels over the same state. */
  switchPlan(): Promise<void>;
}
