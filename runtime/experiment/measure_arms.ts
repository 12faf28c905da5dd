import { clockResets, sampleClock } from "../device/clock.ts";
import type { Device } from "../device/device.ts";
import { type ClockFit, type ClockSample, fitClock } from "../record/clock_fit.ts";
import { type EnergyFacts, type EnergyMeter, openEnergyMeter } from "../record/energy/energy_meter.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Procedure } from "../result/schema.ts";
import type { Emit } from "../result/run_event.ts";
import type { RunRecorder } from "../store/run_recorder.ts";
import type { Arm } from "./arm.ts";
import type { Attempts } from "./attempts.ts";
import { ArmRecorder } from "./arm_recorder.ts";
import { timeOps } from "./op_rounds.ts";
import type { Schedule } from "./planning.ts";
import { Probe } from "./rounds/probe.ts";
import { Rounds, type RoundsOutcome } from "./rounds/rounds.ts";
import { FreshProcesses } from "./rounds/fresh_processes.ts";
import { earlierSetups, Setups, type SetupSchedule } from "./rounds/setups.ts";
import type { StoppingRules } from "./rounds/stopping.ts";
import type { RunProgress } from "./run_progress.ts";
import { WarmUpPhase } from "./start/warm_up_phase.ts";
import { startArms } from "./start/start_arms.ts";
import { blockSteps, warmUpSteps } from "./start/step_counts.ts";

export interface MeasureOptions {
  /** Arms to measure, the control arm last. Rounds leave out those that have failed before. */
  readonly arms: readonly Arm[];
  readonly baseline: string;
  readonly controlArm: Arm | null;
  readonly schedule: Schedule;
  readonly rules: StoppingRules;
  readonly seed: number;
  /** Device whose clock is calibrated and whose clock rate is monitored; null if no arm uses one. */
  readonly device: Device | null;
  /** Activations of the arms, which set-ups relocate; null or missing where no arm uses any. */
  readonly slots?: SlotPool | null;
  /** Set-ups of each arm (`measure.setups`). Default null. */
  readonly setups?: number | null;
  /** Fresh processes of each arm (`measure.processes`); null or missing for one. */
  readonly processes?: number | null;
  /** Rounds that time ops (`measure.opRounds`). Default null. */
  readonly opRounds?: number | null;
  readonly attempts: Attempts;
  readonly progress: RunProgress;
  readonly emit: Emit;
  readonly runRecorder: RunRecorder | null;
  /** Profiled steps to run after the measured ones; null for none. */
  readonly profile: ProfileRequest | null;
  /** Name of an arm to measure without profiling or ablating it. */
  readonly unprofiled?: string | undefined;
  /** Opens the counters of energy, or returns a reason why there are none; by default those of the system. */
  readonly openEnergy?: () => EnergyMeter | string;
  /** Ablate the arms. */
  readonly ablations: boolean;
  interrupted(): boolean;
  /** See {@linkcode startArms}. */
  kernelsChosen(): void;
}

/** Measurements that do not belong to a single arm. */
export interface Measured {
  readonly rounds: RoundsOutcome;
  readonly warmUp: Procedure["warmUp"];
  readonly warnings: Procedure["warnings"];
  /** Mapping of the device's clock to the host's; null if not calibrated. */
  readonly clock: ClockFit | null;
  readonly energy: EnergyFacts;
}

/**
 * Prepares arms, warms each up and measures their blocks interleaved in rounds; then evaluates, profiles and ablates the
 * arms that support it. A failed arm does not end the others.
 */
export async function measureArms(options: MeasureOptions): Promise<Measured> {
  const { device } = options;
  const clock: ClockSample[] = [];
  /** Samples both clocks; samples at the start and the end give the ratio of their rates. */
  const sample = async () => {
    const taken = device === null || device.lost ? null : await sampleClock(device);
    if (taken !== null) clock.push(taken);
  };
  const opened = (options.openEnergy ?? openEnergyMeter)();
  const meter = typeof opened === "string" ? null : opened;
  const energy = {
    sources: meter?.names ?? [],
    idle: await meter?.power() ?? null,
    reason: typeof opened === "string" ? opened : opened.missing.join("; ") || null,
  };
  const measurement = new Measurement(options);
  await measurement.start();
  await sample();
  const probe = await makeProbe(options);
  try {
    const { warmUp, warnings } = await measurement.warmUp();
    const rounds = await measurement.rounds(probe, meter, warmUp);
    await measurement.followUp();
    await sample();
    return { rounds, warmUp, warnings, clock: fitClock(clock, device === null ? 0 : clockResets(device)), energy };
  } finally {
    probe?.free();
    meter?.close();
  }
}

async function makeProbe({ device, arms, attempts }: MeasureOptions): Promise<Probe | null> {
  if (device === null || !arms.some(({ running }) => running)) return null;
  return await attempts.forAll(() => Probe.create(device));
}

class Measurement {
  readonly #options: MeasureOptions;
  /** Arms that had not failed before the start. The order of rounds is drawn for these in every sitting. */
  readonly #compared: readonly Arm[];
  readonly #baseline: Arm | undefined;
  readonly #armRecorder: ArmRecorder;
  readonly #began = performance.now();

  constructor(options: MeasureOptions) {
    const { arms, baseline, runRecorder, device } = options;
    this.#options = options;
    this.#compared = arms.filter(({ failure }) => failure === null);
    this.#baseline = arms.find(({ name }) => name === baseline);
    this.#armRecorder = new ArmRecorder(runRecorder, () => device?.lost ?? false);
  }

  start(): Promise<void> {
    return startArms({ ...this.#shared(), setUpProfile: (arm) => this.#setUpProfile(arm) });
  }

  async warmUp(): Promise<WarmUpPhase> {
    const phase = new WarmUpPhase(this.#shared());
    for (const arm of this.#options.arms) {
      await this.#setUpProfile(arm);
      await phase.run(arm);
    }
    return phase;
  }

  rounds(probe: Probe | null, meter: EnergyMeter | null, warmUp: Procedure["warmUp"]): Promise<RoundsOutcome> {
    const { schedule, attempts } = this.#options;
    return new Rounds({
      ...this.#shared(),
      arms: this.#compared,
      setups: this.#setups(warmUp),
      blockSteps: (arm, round) => blockSteps(schedule, arm.unit, round),
      energy: () => meter?.joules() ?? null,
      probe: () => probe === null ? Promise.resolve(null) : attempts.forAll(() => probe.time()),
    }).run();
  }

  #setups(warmUp: Procedure["warmUp"]): SetupSchedule {
    const { rules: { rounds }, runRecorder, setups = null, processes = null, progress } = this.#options;
    const earlier = earlierSetups(runRecorder?.rounds ?? []);
    const place = { ...this.#place(this.#compared), rounds, began: this.#began, earlier };
    if (processes === null) return new Setups({ ...place, setups });
    const warmUpSteps = ({ name }: Arm) => warmUp.find(({ arm }) => arm === name)?.steps ?? 0;
    return new FreshProcesses({ ...place, processes, warmUpSteps, progress });
  }

  /** Evaluates, profiles and ablates after the rounds, where it cannot disturb them. */
  async followUp(): Promise<void> {
    const { arms, schedule, profile, progress, attempts, seed } = this.#options;
    for (const arm of arms) if (arm.running) await attempts.attempt(arm, async () => await arm.readOutputs?.());
    for (const arm of arms) await arm.process?.release();
    if (!schedule.epochs) { for (const arm of arms) await this.#evaluate(arm); }
    for (const arm of arms) {
      if ((profile === null && arm.profiling?.always !== true) || !this.#isProfiled(arm)) continue;
      const onStep = (done: number, all: number) => progress.at(arm.name, "profile", done, all);
      await attempts.attempt(arm, async () => await arm.profiling?.run(onStep));
    }
    if (profile !== null) await this.#timeOps(profiledArms(this.#options));
    const ablated = ablatedArms(this.#options);
    for (const [i, arm] of ablated.entries()) {
      const message = "ablations";
      const onRound = (done: number, all: number) =>
        progress.ablation(arm.name, i + done / all, ablated.length, `${message}, round ${done}/${all}`);
      progress.ablation(arm.name, i, ablated.length, message);
      await attempts.attempt(arm, async () => await arm.ablation?.run(seed, onRound));
    }
  }

  async #timeOps(arms: readonly Arm[]): Promise<void> {
    const setups = new Setups({
      ...this.#place(arms),
      setups: null,
      rounds: Infinity,
      began: performance.now(),
      earlier: 0,
    });
    await timeOps(arms, { ...this.#options, setups });
  }

  /** Returns what set-ups of arms need. */
  #place(arms: readonly Arm[]) {
    const { device, slots = null, seed, attempts: { attempt } } = this.#options;
    return { arms, device, slots, seed, attempt };
  }

  #shared() {
    const { attempts: { attempt }, schedule } = this.#options;
    return {
      ...this.#options,
      attempt,
      baseline: this.#baseline,
      armRecorder: this.#armRecorder,
      warmUpSteps: (arm: Arm) => warmUpSteps(schedule, arm.unit, arm.tuning?.switchStep),
      afterEpoch: (arm: Arm, epoch: number) => this.#afterEpoch(arm, epoch),
    };
  }

  async #setUpProfile(arm: Arm): Promise<void> {
    const { profile, attempts, progress } = this.#options;
    if (profile === null || !this.#isProfiled(arm)) return;
    const onOp = (done: number, all: number) => progress.at(arm.name, "compile", done, all);
    await attempts.attempt(arm, async () => await arm.profiling?.setUp(profile, onOp));
  }

  async #afterEpoch(arm: Arm, epoch: number): Promise<void> {
    const every = arm.evaluation?.every ?? null;
    if (this.#options.schedule.epochs && every !== null && epoch % every === 0) await this.#evaluate(arm);
  }

  async #evaluate(arm: Arm): Promise<void> {
    const { evaluation = null } = arm;
    if (evaluation === null) return;
    const { progress, attempts } = this.#options;
    const onBatch = (done: number, all: number) => progress.at(arm.name, "evaluate", done, all);
    await attempts.attempt(arm, () => evaluation.run(onBatch));
  }

  #isProfiled(arm: Arm): boolean {
    return isProfiled(arm, this.#options);
  }
}

function isProfiled(arm: Arm, options: Pick<MeasureOptions, "controlArm" | "unprofiled">): boolean {
  return arm !== options.controlArm && arm.name !== options.unprofiled;
}

/** Returns the arms to profile. */
export function profiledArms(
  options: Pick<MeasureOptions, "arms" | "controlArm" | "unprofiled">,
): readonly Arm[] {
  return options.arms.filter((arm) => isProfiled(arm, options) && arm.running);
}

/** Returns the arms to ablate. */
export function ablatedArms(
  options: Pick<MeasureOptions, "arms" | "controlArm" | "unprofiled" | "ablations">,
): readonly Arm[] {
  if (!options.ablations) return [];
  return profiledArms(options).filter(({ ablation = null }) => ablation !== null);
}
