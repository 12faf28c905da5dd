/**
 * Advice on a program's code, from the counts of its steps. Each rule has a file and a line in `PROGRAM_RULES`.
 *
 * @module
 */
import type { ProgramAdvice } from "../../../result/attach_result.ts";
import type { ProgramRule } from "./rule.ts";
import { createdObjects } from "./created_objects.ts";
import { type AnalysedDevice, factsOf } from "./facts.ts";
import { pipelines } from "./pipelines.ts";
import { roundTrips } from "./round_trips.ts";
import { shortKernels } from "./short_kernels.ts";
import { slowKernels } from "./slow_kernels.ts";
import { submits } from "./submits.ts";
import { uploads } from "./uploads.ts";
import { waits } from "./waits.ts";

/** All rules. Each applies if everything that it needs was recorded. */
const PROGRAM_RULES: readonly ProgramRule[] = [
  waits,
  uploads,
  roundTrips,
  submits,
  createdObjects,
  pipelines,
  shortKernels,
  slowKernels,
];

/**
 * Returns the advice of all rules, the largest saving first; empty without steps.
 *
 * @param copyGBs copy bandwidth measured on the adapter; null if unknown
 */
export function adviseProgram(device: AnalysedDevice, copyGBs: number | null): ProgramAdvice[] {
  const facts = factsOf(device, copyGBs);
  if (facts === null) return [];
  return PROGRAM_RULES.flatMap((rule) => rule(facts) ?? []).sort((a, b) => b.mostMs - a.mostMs);
}
