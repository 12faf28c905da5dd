import type { KernelResult, Step } from "../../result/attach_result.ts";
import { type KernelRecord, RENDER_PASS, type SiteRecord } from "../../attach/records.ts";
import type { Untimed } from "../../record/untimed.ts";
import { median } from "../../core/statistics.ts";
import { lengthOf, siteTimes, stepBound } from "./pass_times.ts";
import type { DeviceRecording, Pass } from "./recording.ts";

/** Largest number of steps whose times a kernel keeps. */
const MAX_SAMPLES = 64;

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
  const { kernels, passes, resolution } = recording;
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
      ...namesOf(kernel, site.kernel === RENDER_PASS ? renderName(site.pass) : "made before recording began"),
      line: site.line,
      dispatches: site.line === null ? dispatchesOf(recording, site) : null,
      calls: own.length,
      perStep: timedSteps.length === 0 ? null : own.length / timedSteps.length,
      timedBy: total === null ? null : isBatch ? "batch" : "pass",
      untimed: total === null ? "clock" : null,
      total,
      median: total === null ? null : median(known),
      ...total === null || timedSteps.length === 0 ? {} : { samples: byStep(own, timesOf(own), timedSteps) },
      share: total === null ? null : total / whole,
      boundGBs: positive(rates.length === 0 ? null : median(rates)),
      grids: site.kernel === RENDER_PASS ? [] : gridsOf(own),
    };
  });
  const listed = new Set(inSteps.map(({ site }) => keyOf(site)));
  const all = [...timed, ...untimedKernels(recording, listed), ...untimedRenderPasses(recording, listed)];
  return all.sort((a, b) => (b.total ?? 0) - (a.total ?? 0) || (b.dispatches ?? 0) - (a.dispatches ?? 0));
}

/** Returns a rate; null for one that is 0 or unknown, since a call took no time that the clock shows. */
function positive(rate: number | null): number | null {
  return rate !== null && rate > 0 && Number.isFinite(rate) ? rate : null;
}

/** Returns the time of passes in each of the first steps. */
function byStep(passes: readonly Pass[], times: readonly (number | null)[], steps: readonly Step[]): number[] {
  return steps.slice(0, MAX_SAMPLES).map(({ firstSubmit, endSubmit }) =>
    passes.reduce((ms, { submit }, i) => submit >= firstSubmit && submit < endSubmit ? ms + times[i]! : ms, 0)
  );
}

/** Columns of a kernel without times. */
const NO_TIMES = {
  ...{ line: null, calls: 0, perStep: null, timedBy: null, total: null, median: null, share: null, boundGBs: null },
  grids: [],
} as const;

/** Returns the key of a site's kernel, or of its render pass. */
function keyOf({ kernel, pass }: Pick<SiteRecord, "kernel" | "pass">): string {
  return kernel === RENDER_PASS ? `${kernel} ${pass}` : String(kernel);
}

/** Returns how often the program dispatches a site's kernel, or renders its pass; null if unknown. */
function dispatchesOf(recording: DeviceRecording, { kernel, pass }: SiteRecord): number | null {
  const { state } = recording;
  if (state === null || isOld(recording)) return null;
  if (kernel !== RENDER_PASS) return state.calls[kernel] ?? null;
  return state.renders.find((renders) => renders.pass === pass)?.count ?? null;
}

/** Returns true if the program was killed after its last state, whose counts are too low. */
function isOld({ state, stretches }: DeviceRecording): boolean {
  return state !== null && state.time < (stretches.at(-1)?.end ?? 0);
}

/**
 * Lists the dispatched kernels that have no timed dispatch in the timed steps.
 *
 * @param listed keys of the others
 */
function untimedKernels(recording: DeviceRecording, listed: ReadonlySet<string>): KernelResult[] {
  const { device, kernels, passes, timedKernels, refusedKernels, state } = recording;
  const read = new Set(passes.map(({ site }) => site.kernel));
  const reasonOf = (kernel: number): Untimed => {
    if (device.timestamps === "none") return "none";
    if (!timedKernels.has(kernel) || read.has(kernel)) return "outside";
    return refusedKernels.has(kernel) ? "clock" : "unread";
  };
  return kernels.flatMap((record): KernelResult[] => {
    const { kernel } = record;
    const calls = state?.calls[kernel] ?? 0;
    if (calls === 0 || listed.has(keyOf({ kernel, pass: "" }))) return [];
    const dispatches = isOld(recording) ? null : calls;
    return [{ ...namesOf(record, ""), ...NO_TIMES, dispatches, untimed: reasonOf(kernel) }];
  });
}

/** Lists the render passes without a timed one in the timed steps. */
function untimedRenderPasses(recording: DeviceRecording, listed: ReadonlySet<string>): KernelResult[] {
  const { device, state } = recording;
  const others = (state?.renders ?? []).filter(({ pass }) => !listed.has(keyOf({ kernel: RENDER_PASS, pass })));
  return others.map(({ pass, count, selfTimed }): KernelResult => {
    const untimed = selfTimed === count ? "own" : device.timestamps === "none" ? "none" : "outside";
    const dispatches = isOld(recording) ? null : count;
    return { ...namesOf(undefined, renderName(pass)), ...NO_TIMES, dispatches, untimed };
  });
}

function renderName(pass: string): string {
  return `render pass ${pass}`.trim();
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
