import type { Loader } from "../../data/loader/loader.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { Recorder } from "../../record/recorder.ts";
import { type ProfileRequest, stepCount } from "../../record/schedule.ts";
import type { Timeline } from "../../record/timeline.ts";
import type { OpRecord, Profile } from "../../result/schema.ts";
import { profileLoader } from "../../trainer/profile_loader.ts";
import { hostProfile, type MeasuredHost, withLanes } from "./compose_profile.ts";

/** Profiled steps of a variant without a model, and the profile made from them. */
export class LoaderProfile {
  readonly #name: string;
  readonly #request: ProfileRequest;
  #run: Awaited<ReturnType<typeof profileLoader>> | null = null;
  #kept: Omit<Timeline, "variant"> = { spans: [], counters: [], flows: [] };

  constructor(name: string, request: ProfileRequest) {
    this.#name = name;
    this.#request = request;
  }

  /** Number of steps of the schedule. */
  get steps(): number {
    return stepCount(this.#request);
  }

  /** Runs the schedule. Returns true if interrupted. */
  async run(
    loader: Loader,
    recorder: Recorder,
    hooks: { shouldStop: () => boolean; onStep: (done: number) => void },
  ): Promise<boolean> {
    try {
      this.#run = await profileLoader({ loader, request: this.#request, recorder, ...hooks });
    } finally {
      this.#kept = recorder.take();
    }
    return this.#run.interrupted;
  }

  /** Returns the host's profile of the measured blocks, and the timeline of the recorded steps. */
  result(_clock: ClockFit | null, measured: MeasuredHost): { ops: OpRecord[]; profile: Profile; timeline: Timeline } {
    const run = this.#run;
    const profile = {
      ...hostProfile(measured),
      steps: run?.steps.statistics.steps ?? 0,
      firstStep: run?.steps.first ?? 0,
      cpu: run?.cpu.map((use) => ({ ...use })) ?? [],
    };
    const steps = { traced: run?.steps.traced.length ?? 0, profiled: profile.steps };
    return { ops: [], profile, timeline: withLanes({ variant: this.#name, steps, ...this.#kept }, run?.lanes ?? null) };
  }
}
