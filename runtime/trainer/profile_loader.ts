import { setImmediate } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import { takeBatch } from "./feed/feed.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import { type RecordedSteps, recordSteps } from "./profiled_steps.ts";

/** Profiles the steps of a schedule without a model: takes batches and releases them. */
export function profileLoader(options: {
  readonly loader: Loader;
  readonly request: ProfileRequest;
  readonly recorder: Recorder;
  shouldStop(): boolean;
  onStep?(done: number): void;
}): Promise<RecordedSteps> {
  const { loader, recorder } = options;
  return recordSteps(options, null, async (steps) => {
    for (let step = 0; step < steps.count; step++) {
      if (options.shouldStop()) return true;
      steps.begin(step, step + 1);
      const start = performance.now();
      await takeBatch(loader, recorder, null);
      await setImmediate();
      recorder.span("main", `step ${step}`, start, performance.now(), { step });
      steps.add(step, [], []);
      options.onStep?.(step + 1);
    }
    return false;
  });
}
