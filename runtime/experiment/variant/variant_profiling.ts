import type { Device } from "../../device/device.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { ProfileRequest } from "../../record/schedule.ts";
import type { OnProgress } from "../arm.ts";
import type { MeasuredHost } from "./compose_profile.ts";
import { LoaderProfile } from "./loader_profile.ts";
import { type PreparedVariant, whileActive } from "./prepared.ts";
import { VariantProfile } from "./profile.ts";

export interface VariantProfilingOptions {
  readonly name: string;
  /** Device; null without a model. */
  readonly device: Device | null;
  readonly recorder: Recorder;
  readonly monitor: "block" | "step";
  interrupted(): boolean;
  onInterrupt(): void;
}

/** Profiles a variant if that is requested: its ops with a model, else the host's work alone. */
export class VariantProfiling {
  readonly #options: VariantProfilingOptions;
  #profile: VariantProfile | LoaderProfile | null = null;

  constructor(options: VariantProfilingOptions) {
    this.#options = options;
  }

  /** Median relative standard error of the times of ops so far; null if they are not timed. */
  get opError(): number | null {
    return this.#profile instanceof VariantProfile ? this.#profile.opError : null;
  }

  /** Requests the profile and times the first run of each op, before anything else runs and after a change of plan. */
  async setUp(prepared: PreparedVariant | null, request: ProfileRequest, onOp: OnProgress): Promise<void> {
    const { name, device } = this.#options;
    const session = prepared?.session ?? null;
    this.#profile ??= session === null
      ? new LoaderProfile(name, request)
      : new VariantProfile(name, session, device!, request);
    if (this.#profile instanceof VariantProfile) await this.#profile.setUp(onOp);
  }

  /**
   * Runs the profiled steps and restores the training state.
   *
   * @param blockSteps steps of a measured block; undefined before the first
   */
  async run(prepared: PreparedVariant, blockSteps: number | undefined, onStep: OnProgress): Promise<void> {
    const profile = this.#profile;
    if (profile === null) return;
    const { recorder, monitor, interrupted, onInterrupt } = this.#options;
    await whileActive(prepared, async () => {
      const stopped = await profile.run(prepared.loader, recorder, {
        monitor,
        ...blockSteps === undefined ? {} : { blockSteps },
        shouldStop: interrupted,
        onStep: (done) => onStep(done, profile.steps),
      });
      if (stopped) onInterrupt();
    });
  }

  /** Times each op in one more step, and restores the training state. */
  async timeOps(prepared: PreparedVariant): Promise<void> {
    const profile = this.#profile;
    if (profile instanceof VariantProfile) await whileActive(prepared, () => profile.timeOps());
  }

  /** Returns the profile with device times corrected by `clock`; null if none was requested. */
  result(clock: ClockFit | null, measured: MeasuredHost): ReturnType<VariantProfile["result"]> | null {
    return this.#profile?.result(clock, measured) ?? null;
  }
}
