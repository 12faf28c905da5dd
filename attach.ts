/**
 * Profiles WebGPU code that is not Tacho's, from within a program. `tacho attach` does the same from the command line, for
 * programs that know nothing of it.
 *
 * @module
 */
export type {
  AttachedDevice,
  AttachResult,
  FoundSteps,
  KernelResult,
  LargeBuffer,
  Leak,
  MemoryResult,
  PipelineResult,
  ProgramAdvice,
  Step,
  StepAccount,
  TimingCost,
} from "./runtime/result/attach_result.ts";
export { attach, type AttachOptions, type Profiler } from "./runtime/library/attach/profiler.ts";
export type { Cause } from "./runtime/record/idle_causes.ts";
export type { ErrorRecord, LostRecord, PeakBuffer, TotalName } from "./runtime/attach/records.ts";
