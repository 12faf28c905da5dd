import { setImmediate } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import { takeBatch } from "../feed/feed.ts";
import type { CpuUse } from "../record/cpu_use.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import { traceBatches } from "./trace_batches.ts";
import { ProfiledSteps } from "./profiled_steps.ts";

/** Profiles the steps of a schedule without a model: takes batches and releases them. */
export async function profileLoader(options: {
  readonly loader: Loader;
  readonly request: ProfileRequest;
  readonly recorder: Recorder;
  shouldStop(): boolean;
  onStep?(done: number): void;
}): Promise<{ steps: ProfiledSteps; cpu: readonly CpuUse[]; interrupted: boolean }> {
  const { loader, request, recorder } = options;
  const steps = new ProfiledSteps(request, recorder, []);
  try {
    await traceBatches(loader, options.shouldStop);
    for (let step = 0; step < steps.count; step++) {
      if (options.shouldStop()) return { steps, cpu: steps.end(), interrupted: true };
      steps.begin(step, step + 1);
      const start = performance.now();
      await takeBatch(loader, recorder, null);
      await setImmediate();
      recorder.span("main", `step ${step}`, start, performance.now(), { step });
      steps.add(step, [], []);
      options.onStep?.(step + 1);
    }
    return { steps, cpu: steps.end(), interrupted: false };
  } finally {
    steps.end();
    loader.trace(false);
  }
}
