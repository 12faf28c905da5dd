import type { AttachResult } from "../../result/attach_result.ts";
import { analyseAttached } from "../../analysis/attach/analyse.ts";
import { PEAK_STEPS } from "../../analysis/attach/memory.ts";
import { attachTimelines } from "../../analysis/attach/timeline.ts";
import { parseSteps } from "../../attach/settings.ts";
import { copyBandwidths } from "../../engine/copy_bandwidths.ts";
import { ProgramProcess } from "../../attach/programs/program_process.ts";
import type { Timeline } from "../../record/timeline.ts";
import type { ProgramSpec, ResolvedProgram } from "../../scenario/program.ts";

/** Steps of a profile: up to `most` within `time` ms, and at least `fewest`. Every other step is timed. */
const LIMITS = { most: 14, fewest: PEAK_STEPS, time: 20_000 } as const;

/** Profile of a program. */
export interface ProgramProfile {
  readonly result: AttachResult;
  /** Timed steps of its first device; null without any. */
  readonly timeline: Timeline | null;
}

/**
 * Runs a program once more, with its kernels timed in every other step.
 *
 * @param expected time of a step in ms, warm-up steps, and the number of steps after which the program ends
 * @throws {TachoError} if the program fails
 */
export async function profileProgram(
  { name, program: { steps: how, cwd, timeout }, words, env }: ResolvedProgram<ProgramSpec>,
  expected: { readonly stepTime: number; readonly warmUp: number; readonly lasts: number },
  { interrupted, onStep }: { interrupted(): boolean; onStep(done: number, all: number): void },
): Promise<ProgramProfile> {
  const steps = parseSteps(how)!;
  const place = { command: words, cwd, env, timeout, interrupted };
  const process = await ProgramProcess.start({ ...place, steps, profiled: true });
  try {
    await process.held();
    const fitting = Math.floor(LIMITS.time / Math.max(1, expected.stepTime));
    const wanted = expected.warmUp + Math.min(LIMITS.most, Math.max(LIMITS.fewest, fitting));
    const all = Math.min(wanted, expected.lasts - 1);
    await process.run(all, (done) => onStep(done, all));
    const records = await process.records();
    const [timeline = null] = attachTimelines(records);
    return {
      result: analyseAttached(records, steps.by, await copyBandwidths()),
      timeline: timeline && { ...timeline, variant: name },
    };
  } finally {
    await process.close();
  }
}
