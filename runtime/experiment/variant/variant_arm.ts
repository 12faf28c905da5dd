import type { MeasuredAblations } from "../../analysis/bottleneck/measured_ablations.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import { InputError } from "../../core/errors.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { ProfileRequest } from "../../record/schedule.ts";
import type { Timeline } from "../../record/timeline.ts";
import type { Block, Loss, Seeds, Target, Unit } from "../../result/schema.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import { evaluate } from "../../trainer/evaluate.ts";
import { runAblations } from "../ablations/ablations.ts";
import type {
  Arm,
  ArmAblation,
  ArmEvaluation,
  ArmKernels,
  ArmOpTiming,
  ArmProcess,
  ArmProfiling,
  ArmRecord,
  BlockPlace,
  OnProgress,
} from "../arm.ts";
import { ProcessSteps } from "../distributed/processes/process_steps.ts";
import type { ScenarioSource } from "../distributed/processes/protocol.ts";
import { RankLeader } from "../distributed/rank_leader.ts";
import type { Planned } from "../planning.ts";
import { inferenceOutput } from "./inference_output.ts";
import { LoaderProfile } from "./loader_profile.ts";
import { LocalSteps, type VariantPlace } from "./local_steps.ts";
import { planner } from "./plan_step.ts";
import { whileActive } from "./prepared.ts";
import { OpProfile } from "./profile.ts";
import { variantResult } from "./result.ts";
import type { VariantTuning } from "./tuning.ts";

/** Trainings of a variant with several seeds. */
export type SeedRuns = Pick<Seeds, "steps" | "window" | "runs">;

/** Other processes that take part in the steps of a variant. */
export interface Elsewhere {
  /** Commands to the other ranks; null or missing on one. */
  readonly leader?: RankLeader | null;
  /** Fresh processes that run the measured steps; null or missing if this process does. */
  readonly processes?: ProcessSteps | null;
}

/** Arm that runs a variant of a scenario. */
export class VariantArm implements Arm {
  readonly name: string;
  readonly kernels: ArmKernels = {
    reserve: () => this.local.reserve(),
    compile: (onShader) => this.#steps.compile(onShader),
    compileOnly: () => this.#steps.compileOnly(),
    relocate: (placement) => this.local.relocate(placement),
  };
  readonly profiling: ArmProfiling = {
    always: false,
    setUp: async (request, onOp) => {
      if (this.#processes === null) return await this.#setUpProfile(request, onOp);
      this.#processes.whenHere = () => this.#setUpProfile(request, () => {});
    },
    run: (onStep) => this.#runProfile(onStep),
  };
  readonly process?: ArmProcess;
  /** Steps in this process; with fresh processes, those of evaluation, profile and ablations. */
  readonly local: LocalSteps;
  failure: Error | null = null;
  outputs: readonly unknown[] = [];
  /** Outcome of training to a target; null without one. */
  target: Target | null = null;
  /** Trainings with several seeds; null without them. */
  seeds: SeedRuns | null = null;
  readonly #leader: RankLeader | null;
  readonly #processes: ProcessSteps | null;
  readonly #steps: LocalSteps | ProcessSteps;
  #profile: OpProfile | LoaderProfile | null = null;
  #rankTimelines: readonly Timeline[] | undefined;
  #ablations: MeasuredAblations | null = null;

  constructor(local: LocalSteps, { leader = null, processes = null }: Elsewhere = {}) {
    this.name = local.variant.name;
    this.local = local;
    this.#leader = leader;
    this.#processes = processes;
    this.#steps = processes ?? local;
    if (processes !== null) this.process = processes;
  }

  /** True without a model, too, in processes: the steps of one depend on its earlier ones. */
  get stateful(): boolean {
    return this.#processes !== null || this.compiled !== null;
  }

  /** Tuning of kernels; null without a model. */
  get tuning(): VariantTuning | null {
    return this.compiled === null ? null : this.local.tuning;
  }

  get evaluation(): ArmEvaluation | null {
    const { evaluate } = this.local.variant.config;
    return evaluate === null ? null : { every: evaluate.every, run: (onBatch) => this.#evaluate(onBatch) };
  }

  get opTiming(): ArmOpTiming {
    const profile = this.#profile instanceof OpProfile ? this.#profile : null;
    return {
      error: profile?.opError ?? null,
      time: async () => {
        if (profile !== null) await whileActive(this.local.prepared!, () => profile.timeOps());
      },
    };
  }

  get ablation(): ArmAblation | null {
    if (this.local.variant.config.model === null) return null;
    return { run: (seed, onRound) => this.#ablate(seed, onRound) };
  }

  get running(): boolean {
    return this.failure === null && !this.interrupted;
  }

  get interrupted(): boolean {
    return this.local.interrupted;
  }

  get unitOfRate(): Unit {
    return `${this.local.dataset.unit}/s`;
  }

  get unit(): number {
    return this.local.unit;
  }

  /** Plan of the measured steps, with default kernels until others are chosen; null without a model. */
  get compiled(): CompiledVariant | null {
    return this.local.compiled;
  }

  get steps(): number {
    return this.#steps.steps;
  }

  get blocks(): readonly Block[] {
    return this.local.record.blocks;
  }

  get losses(): readonly (Loss | null)[] {
    return this.#steps.losses;
  }

  fail(error: unknown): void {
    this.failure = error instanceof Error ? error : new Error(String(error));
  }

  interrupt(): void {
    if (this.failure === null) this.local.interrupted = true;
  }

  prepare(firstStep: number, onKernel?: OnProgress, onFill?: OnProgress): Promise<void> {
    const work = () => this.#steps.prepare(firstStep, onKernel, onFill);
    return this.#leader === null ? work() : this.#leader.together({ do: "prepare", firstStep }, work);
  }

  warmUp(steps: number, onStep?: (done: number) => void): Promise<{ readonly wall: number }> {
    const work = () => this.#steps.warmUp(steps, onStep);
    return this.#leader === null ? work() : this.#leader.together({ do: "warm up", steps }, work);
  }

  endWarmUp(): void {
    this.#steps.endWarmUp();
  }

  block(
    place: BlockPlace,
    steps: number,
    options: { drain: boolean; onStep: (done: number) => void },
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    return this.#leader === null
      ? this.#steps.block(place, steps, options)
      : this.#leader.block(this.local, place, steps, options.onStep);
  }

  skip(losses: readonly (Loss | null)[]): void {
    this.local.record.steps += losses.length;
    this.local.record.losses.push(...losses);
  }

  restoreBlock(kept: Omit<KeptBlock, "arm">): void {
    this.local.record.restoreBlock(kept);
  }

  async close(): Promise<void> {
    await this.#processes?.release();
    await this.local.close();
  }

  record(clock: ClockFit | null): ArmRecord {
    this.#processes?.restoreStart();
    const { compiled, local: { variant: { config }, dataset, record, place: { device } } } = this;
    const profiled = this.#profile?.result(clock, record.host) ?? null;
    const { failure: error, seeds, target } = this;
    return {
      variant: variantResult(this.local, { facts: this.#steps.facts, error, profiled, seeds, target }, clock),
      timeline: profiled?.timeline ?? null,
      ...this.#rankTimelines === undefined ? {} : { rankTimelines: this.#rankTimelines },
      ablations: this.#ablations,
      data: { samples: dataset.train.length, sample: dataset.sample },
      ...device !== null && compiled !== null && { plan: planner(config, dataset, device.traits, compiled) },
    };
  }

  /**
   * Requests profiled steps, and times the first run of each op separately. Without a model, the profile only contains the
   * host's work.
   */
  async #setUpProfile(request: ProfileRequest, onOp: OnProgress): Promise<void> {
    const { prepared, place: { device } } = this.local;
    const session = prepared?.session ?? null;
    this.#profile ??= session === null
      ? new LoaderProfile(this.name, request)
      : new OpProfile(this.name, session, device!, request);
    if (this.#profile instanceof OpProfile) await this.#profile.setUp(onOp);
  }

  /** Profiles steps of this rank alone, then records some of all ranks for the trace. */
  async #runProfile(onStep: OnProgress): Promise<void> {
    await this.#processes?.trainHere();
    const { local } = this;
    const profile = this.#profile;
    if (profile !== null) {
      const blockSteps = this.blocks.at(-1)?.steps.length;
      await whileActive(local.prepared!, async () => {
        const stopped = await profile.run(local.prepared!.loader, local.recorder, {
          monitor: local.config.monitor,
          ...blockSteps === undefined ? {} : { blockSteps },
          shouldStop: local.place.interrupted,
          onStep: (done) => onStep(done, profile.steps),
        });
        if (stopped) local.interrupted = true;
      });
    }
    if (this.#leader !== null && this.running) this.#rankTimelines = await this.#leader.trace(local);
  }

  /** Computes what is compared with the baseline, of a variant that trains nothing. */
  async readOutputs(): Promise<void> {
    const { prepared, config, place: { device } } = this.local;
    const session = prepared?.session ?? null;
    if (session === null || config.optimizer !== null) return;
    this.outputs = [await inferenceOutput(session, device!, config.seed)];
  }

  /** Measures loss and accuracy on the test split. */
  async #evaluate(onBatch: OnProgress): Promise<void> {
    await this.#processes?.trainHere();
    const { prepared, config, dataset, record, place: { device, interrupted: shouldStop } } = this.local;
    const session = prepared?.session ?? null;
    if (session === null) return;
    const outcome = await evaluate(session, device!, config, dataset, { shouldStop, onBatch });
    if (outcome.interrupted) this.local.interrupted = true;
    else record.addEvaluation(outcome);
  }

  /** Measures ablations of the step and restores the training state. Must follow all other measurements. */
  async #ablate(seed: number, onRound: OnProgress): Promise<void> {
    await this.#processes?.trainHere();
    const { prepared, unit, record: { stepMs }, place: { device, interrupted: shouldStop } } = this.local;
    const { session, context } = prepared!;
    if (session === null || context === null || stepMs === null) return;
    this.#ablations = await runAblations({
      ...prepared!,
      ...{ session, context, device: device!, unit, stepMs, seed, shouldStop, onRound },
    });
    if (shouldStop()) this.local.interrupted = true;
  }
}

/** Place of a variant among the arms. */
export interface ArmPlace extends VariantPlace {
  /** Position of the arm, the same on all ranks. */
  readonly index: number;
  /** Name of its variant, which differs from that of the control arm. */
  readonly of: string;
  /** True if it runs in fresh processes. */
  readonly inProcesses: boolean;
  /** Script from which processes plan variants; null where none can. */
  readonly source: ScenarioSource | null;
  /** Called if processes of the arm have different losses. */
  onWarning(message: string): void;
}

/**
 * Returns the arm of a planned variant: in this process, in fresh processes, or together with other ranks.
 *
 * @throws {InputError} if it should run in fresh processes, and no script can be imported there
 */
export function variantArm(planned: Planned, place: ArmPlace): VariantArm {
  const { cluster = null, index, of: variant, inProcesses, source, onWarning } = place;
  const local = new LocalSteps(planned, place);
  const leader = cluster?.rank === 0 && planned.variant.config.distribute !== null
    ? new RankLeader(cluster, index)
    : null;
  let processes: ProcessSteps | null = null;
  if (leader === null && inProcesses) {
    if (source === null) {
      throw new InputError(
        "measure.processes: needs a scenario at the top level of a script that is a file, and cannot be combined with " +
          "--tune; set it to null",
      );
    }
    processes = new ProcessSteps(local, { source, variant, onWarning });
  }
  const arm = new VariantArm(local, { leader, processes });
  if (planned.error !== null) arm.fail(planned.error);
  return arm;
}
