import { setImmediate } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import { takeBatch } from "./feed/feed.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import { CpuSampler } from "./cpu_sampler.ts";
import { keepMade, traceBatches } from "./trace_batches.ts";
import type { ProfiledRun } from "./profile_run.ts";
import { ProfiledSteps } from "./profiled_steps.ts";

/** Profiles the steps of a schedule without a model: takes batches and releases them. */
export async function profileLoader(options: {
  readonly loader: Loader;
  readonly request: ProfileRequest;
  readonly recorder: Recorder;
  shouldStop(): boolean;
  onStep?(done: number): void;
}): Promise<Pick<ProfiledRun, "steps" | "cpu" | "lanes" | "interrupted">> {
  const { loader, request, recorder } = options;
  const sampler = await CpuSampler.start();
  const steps = new ProfiledSteps(request, recorder, null, sampler);
  let interrupted = false;
  try {
    await traceBatches(loader, options.shouldStop);
    for (let step = 0; step < steps.count; step++) {
      interrupted = options.shouldStop();
      if (interrupted) break;
      steps.begin(step, step + 1);
      const start = performance.now();
      await takeBatch(loader, recorder, null);
      await setImmediate();
      recorder.span("main", `step ${step}`, start, performance.now(), { step });
      steps.add(step, [], []);
      options.onStep?.(step + 1);
    }
    await keepMade(loader, recorder);
    return { steps, cpu: steps.end(), lanes: await sampler?.stop() ?? null, interrupted };
  } finally {
    steps.end();
    await sampler?.stop();
    loader.trace(false);
  }
}
