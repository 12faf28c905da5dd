import { type KernelRecord, RENDER_PASS } from "../../attach/records.ts";
import { median } from "../median.ts";
import { lengthOf, siteTimes, stepBound } from "./pass_times.ts";
import type { DeviceRecording, Pass } from "./recording.ts";
import type { Step } from "./steps.ts";

/** A kernel, with its timed dispatches. */
export interface KernelResult {
  /** Label, else what its WGSL does, with the entry point and the hash of the code. */
  readonly name: string;
  readonly label: string;
  readonly entryPoint: string;
  readonly hash: string;
  /** Description of its WGSL. */
  readonly does: string;
  /** Source line of the dispatches; null without call sites. */
  readonly line: string | null;
  /** Dispatches in the whole run, timed or not; null for rows by source line. */
  readonly dispatches: number | null;
  /** Timed dispatches. */
  readonly calls: number;
  /** Timed dispatches per timed step; null without steps. */
  readonly perStep: number | null;
  /**
   * Timed unit: each dispatch, or, where some are shorter than the clock's step, runs of equal dispatches. Null if the clock
   * shows neither; then the kernel has no times.
   */
  readonly timedBy: "pass" | "batch" | null;
  /** Sum and median of the timed dispatches, in ms; null if the clock does not show them. */
  readonly total: number | null;
  readonly median: number | null;
  /** Time in each timed step, at most 64 of them; missing in results of earlier versions, without steps and without times. */
  readonly samples?: readonly number[];
  /** Part of the time of all timed dispatches; null without a time. */
  readonly share: number | null;
  /** Bytes of the bound buffers per second, in GB/s: an upper bound on what it reads and writes. */
  readonly boundGBs: number | null;
  /** Grids in workgroups, the most frequent first. `null` is an indirect dispatch. Empty for render passes. */
  readonly grids: readonly { readonly grid: readonly [number, number, number] | null; readonly calls: number }[];
}

/** Largest number of steps whose times a kernel keeps. */
const MOST_SAMPLES = 64;

/**
 * Sums timed dispatches by kernel, and by source line where they are known; the longest first.
 *
 * @param usable false if the device's clock shows no times
 */
export function kernelResults(
  recording: DeviceRecording,
  timedSteps: readonly Step[],
  usable: boolean,
): readonly KernelResult[] {
  const { kernels, passes, state, resolution } = recording;
  const inSteps = timedSteps.length === 0 ? passes : passes.filter(({ submit }) => {
    return timedSteps.some(({ firstSubmit, endSubmit }) => submit >= firstSubmit && submit < endSubmit);
  });
  const groups = Map.groupBy(
    inSteps,
    ({ site }) => `${site.kernel} ${site.kernel === RENDER_PASS ? site.pass : ""} ${site.line}`,
  );
  const times = usable ? siteTimes(passes, stepBound(passes, resolution)) : null;
  const timesOf = (of: readonly Pass[]) => of.map((pass) => times?.get(pass.site)?.of(pass) ?? null);
  // Time of dispatches that are not known one by one still counts
  const whole = inSteps.reduce((ms, pass) => ms + (times?.get(pass.site)?.of(pass) ?? lengthOf(pass)), 0);
  const timed = [...groups.values()].map((own): KernelResult => {
    const { site } = own[0]!;
    const kernel = kernels[site.kernel];
    const known = timesOf(own).filter((time) => time !== null);
    const total = known.length < own.length ? null : known.reduce((ms, time) => ms + time, 0);
    const isBatch = own.some((pass) => times?.get(pass.site)?.by === "batch");
    // As the time, so that both are of a typical call
    const rates = total === null ? [] : own.map(({ site: { bytes } }, i) => bytes / known[i]! / 1e6);
    return {
      ...namesOf(
        kernel,
        site.kernel === RENDER_PASS ? `render pass ${site.pass}`.trim() : "made before recording began",
      ),
      line: site.line,
      dispatches: site.line === null ? state?.calls[site.kernel] ?? null : null,
      calls: own.length,
      perStep: timedSteps.length === 0 ? null : own.length / timedSteps.length,
      timedBy: total === null ? null : isBatch ? "batch" : "pass",
      total,
      median: total === null ? null : median(known),
      ...total === null || timedSteps.length === 0 ? {} : { samples: byStep(own, timesOf(own), timedSteps) },
      share: total === null ? null : total / whole,
      boundGBs: positive(rates.length === 0 ? null : median(rates)),
      grids: site.kernel === RENDER_PASS ? [] : gridsOf(own),
    };
  });
  const all = [...timed, ...untimedKernels(recording)];
  return all.sort((a, b) => (b.total ?? 0) - (a.total ?? 0) || (b.dispatches ?? 0) - (a.dispatches ?? 0));
}

/** Returns a rate; null for one that is 0 or unknown, since a call took no time that the clock shows. */
function positive(rate: number | null): number | null {
  return rate !== null && rate > 0 && Number.isFinite(rate) ? rate : null;
}

/** Returns the time of passes in each of the first steps. */
function byStep(passes: readonly Pass[], times: readonly (number | null)[], steps: readonly Step[]): number[] {
  return steps.slice(0, MOST_SAMPLES).map(({ firstSubmit, endSubmit }) =>
    passes.reduce((ms, { submit }, i) => submit >= firstSubmit && submit < endSubmit ? ms + times[i]! : ms, 0)
  );
}

/** Lists the kernels without any usable timestamps: all of them if nothing was timed, else those that the clock refused. */
function untimedKernels({ kernels, passes, refusedKernels, state }: DeviceRecording): KernelResult[] {
  const usable = new Set(passes.map(({ site }) => site.kernel));
  return kernels.flatMap((kernel): KernelResult[] => {
    const dispatches = state?.calls[kernel.kernel] ?? 0;
    const isRefused = refusedKernels.has(kernel.kernel) && !usable.has(kernel.kernel);
    if (dispatches === 0 || (passes.length > 0 && !isRefused)) return [];
    const times = { timedBy: null, total: null, median: null, share: null, boundGBs: null };
    return [{ ...namesOf(kernel, ""), line: null, dispatches, calls: 0, perStep: null, ...times, grids: [] }];
  });
}

/** Name of a kernel: its label and the hash of its code, or what the code does. */
export function kernelName({ label, entryPoint, hash, does }: KernelRecord): string {
  const name = label !== "" ? label : `${entryPoint || "?"}: ${does || "unknown code"}`;
  return hash === "" ? name : `${name} #${hash}`;
}

function namesOf(kernel: KernelRecord | undefined, other: string) {
  if (kernel === undefined) return { name: other, label: "", entryPoint: "", hash: "", does: "" };
  const { label, entryPoint, hash, does } = kernel;
  return { name: kernelName(kernel), label, entryPoint, hash, does };
}

function gridsOf(passes: readonly Pass[]): KernelResult["grids"] {
  return [...Map.groupBy(passes, ({ site }) => String(site.grid)).values()]
    .map((own) => ({ grid: own[0]!.site.grid, calls: own.length }))
    .sort((a, b) => b.calls - a.calls);
}
