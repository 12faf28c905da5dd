import type { ClockFit } from "../../../record/clock_fit.ts";
import type { ProfileRequest } from "../../../record/schedule.ts";
import type { Loss } from "../../../result/schema.ts";
import type { KeptBlock } from "../../../store/run_recorder.ts";
import type { ArmProcess, ArmRecord, OnProgress } from "../../arm.ts";
import { VariantRun } from "../../variant/run.ts";
import { type DifferingLoss, LossesOfProcesses } from "./losses_of_processes.ts";
import type { ProcessFacts, RunSteps, ScenarioSource } from "./protocol.ts";
import { VariantProcess } from "./variant_process.ts";

/** Place of a variant in fresh processes. */
export interface ProcessPlace {
  readonly source: ScenarioSource;
  /** Name of its variant, which differs from that of the control arm. */
  readonly variant: string;
  /** Called if a process trains differently from the first. */
  onWarning(message: string): void;
}

/**
 * Arm that measures a variant in fresh processes, one after the other. Each trains from the start, with the same losses. The
 * variant is evaluated and profiled in this process after the rounds.
 */
export class ProcessRun extends VariantRun {
  readonly process: ArmProcess = {
    renew: (warmUpSteps) => this.#renew(warmUpSteps),
    release: () => this.#release(),
  };
  readonly #run: ConstructorParameters<typeof VariantRun>[3];
  readonly #place: ProcessPlace;
  #process: VariantProcess | null = null;
  #facts: ProcessFacts | null = null;
  #firstStep: number | null = null;
  readonly #losses = new LossesOfProcesses();
  #warmUpSteps = 0;
  /** True between the warm-up of a process and its first block. */
  #isWarm = false;
  #differs = false;
  #request: ProfileRequest | null = null;
  #isLocal = false;

  constructor(place: ProcessPlace, ...run: ConstructorParameters<typeof VariantRun>) {
    super(...run);
    this.#place = place;
    this.#run = run[3];
  }

  /** True without a model, too: the steps of a process depend on its earlier ones. */
  override get stateful(): boolean {
    return true;
  }

  override get steps(): number {
    return this.#losses.all.length;
  }

  override get losses(): readonly (Loss | null)[] {
    return this.#losses.all;
  }

  override async prepare(_firstStep: number, onKernel?: OnProgress): Promise<void> {
    const { source, variant } = this.#place;
    const { cache = true, interrupted } = this.#run;
    this.#losses.restart();
    this.#process = await VariantProcess.start({
      ...{ source, variant, cache, interrupted, arm: this.name },
      fingerprint: this.compiled?.plan.fingerprint ?? null,
      tuning: this.tuning?.choice ?? null,
    });
    const facts = await this.#process.call({ do: "prepare" }, onKernel);
    this.#facts ??= facts;
  }

  override async compile(onShader: OnProgress): Promise<void> {
    await this.#process!.call({ do: "compile" }, onShader);
  }

  override async compileOnly(): Promise<void> {
    const { firstStep } = await this.#process!.call({ do: "compile only" });
    this.#firstStep ??= firstStep;
  }

  override async warmUp(steps: number, onStep: (done: number) => void = () => {}): Promise<{ wall: number }> {
    const ran = await this.#process!.call({ do: "warm up", steps }, onStep);
    this.#firstStep ??= ran.firstStep;
    this.#ran(ran);
    return { wall: ran.wall };
  }

  override endWarmUp(): void {
    this.#warmUpSteps = this.#losses.done;
    this.#isWarm = true;
  }

  override async block(
    ...[place, steps, { drain, onStep }]: Parameters<VariantRun["block"]>
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    const isFirst = this.#isWarm;
    this.#isWarm = false;
    const command = { do: "measure", place, steps, drain, isFirst } as const;
    const { kept, loaded, ...ran } = await this.#process!.call(command, onStep);
    this.#ran(ran);
    if (kept === null) return null;
    this.measurements.restoreBlock(kept);
    if (loaded !== null) this.measurements.loaderProfile = loaded;
    return kept;
  }

  /** Starts a fresh process and warms it up. */
  async #renew(warmUpSteps: number): Promise<void> {
    await this.#release();
    await this.prepare(0);
    await this.compile(() => {});
    if (warmUpSteps === 0) await this.compileOnly();
    while (this.#losses.done < warmUpSteps) await this.warmUp(this.unit);
    this.endWarmUp();
  }

  /** Ends the process. */
  async #release(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    await process?.close();
  }

  override setUpProfile(request: ProfileRequest): Promise<void> {
    this.#request = request;
    return Promise.resolve();
  }

  override async evaluate(onBatch: OnProgress): Promise<void> {
    await this.#trainHere();
    await super.evaluate(onBatch);
  }

  override async profile(onStep: OnProgress): Promise<void> {
    await this.#trainHere();
    await super.profile(onStep);
  }

  override async ablate(seed: number, onRound: OnProgress): Promise<void> {
    await this.#trainHere();
    await super.ablate(seed, onRound);
  }

  override async close(): Promise<void> {
    await this.#release();
    await super.close();
  }

  override record(clock: ClockFit | null): ArmRecord {
    this.measurements.restoreStart(this.#losses.all, { setup: this.#facts?.setup ?? null, firstStep: this.#firstStep });
    return super.record(clock);
  }

  override get facts(): ProcessFacts | null {
    return this.#facts;
  }

  /** Adds steps of the current process. */
  #ran({ losses, scale }: RunSteps): void {
    this.#warnOf(this.#losses.add(losses));
    this.measurements.restoreLossScale(scale);
  }

  /** Warns of the first loss that differs between two processes. */
  #warnOf(differing: DifferingLoss | null): void {
    if (differing === null || this.#differs) return;
    this.#differs = true;
    const { step, earlier, later } = differing;
    this.#place.onWarning(
      `${this.name}: the loss of step ${step} is ${earlier} in one process and ${later} in another; the variant does ` +
        "not repeat its training, so its processes may do different work",
    );
  }

  /** Trains in this process as far as evaluation and profile need it. */
  async #trainHere(): Promise<void> {
    if (this.#isLocal) return;
    this.#isLocal = true;
    await this.#release();
    await super.prepare(0);
    if (this.#request !== null) await super.setUpProfile(this.#request, () => {});
    await super.compile(() => {});
    // An evaluation is of the state after the last step
    const steps = this.evaluation === null ? this.#warmUpSteps : this.steps;
    if (steps === 0) await super.compileOnly();
    while (this.measurements.steps < steps && !this.#run.interrupted()) await super.warmUp(this.unit);
    super.endWarmUp();
    this.#losses.restart();
    this.#warnOf(this.#losses.add(this.measurements.losses));
  }
}
