/**
 * Profiles WebGPU code that is not Tacho's, from within a program. `tacho attach` does the same from the command line, for
 * programs that know nothing of it.
 *
 * @module
 */
export { attach, type AttachOptions, type Profiler } from "./runtime/library/attach/profiler.ts";
export type { AttachedDevice, AttachResult, PipelineResult } from "./runtime/analysis/attach/result.ts";
export type { ProgramAdvice } from "./runtime/analysis/attach/advice/advice.ts";
export type { StepAccount } from "./runtime/analysis/attach/account.ts";
export type { Cause } from "./runtime/record/idle_causes.ts";
export type { TimingCost } from "./runtime/analysis/attach/cost.ts";
export type { KernelResult } from "./runtime/analysis/attach/kernels.ts";
export type { LargeBuffer, Leak, MemoryResult } from "./runtime/analysis/attach/memory.ts";
export type { FoundSteps, Step } from "./runtime/analysis/attach/steps.ts";
export type { ErrorRecord, LostRecord, PeakBuffer, TotalName } from "./runtime/attach/records.ts";
