import type { Peak, Peaks } from "./peaks.ts";

/** Highest load and spread of a quiet measurement. */
export const QUIET = { load: 0.1, spread: 0.1 } as const;

/** Returns true if a peak was measured without disturbance. A load that the system does not report is left out. */
export function isQuiet({ load, spread }: Pick<Peak, "load" | "spread">): boolean {
  return spread !== null && spread <= QUIET.spread && (load === null || load <= QUIET.load);
}

/** Returns the peaks by name, without those that the adapter lacks. */
export function peaksByName({ f32, f16, copy }: Peaks): readonly (readonly ["f32" | "f16" | "copy", Peak])[] {
  return [["f32", f32], ...f16 === null ? [] : [["f16", f16] as const], ["copy", copy]];
}

/**
 * Chooses between two measurements of each peak: a quiet one over a busy one, else the higher, since load can only slow a
 * measurement down.
 */
export function betterPeaks(known: Peaks, measured: Peaks): Peaks {
  const better = (a: Peak, b: Peak) => {
    const [quietA, quietB] = [isQuiet(a), isQuiet(b)];
    return quietA === quietB ? (b.value > a.value ? b : a) : quietB ? b : a;
  };
  const f16 = known.f16 === null || measured.f16 === null ? measured.f16 ?? known.f16 : better(known.f16, measured.f16);
  return { clock: measured.clock, f32: better(known.f32, measured.f32), f16, copy: better(known.copy, measured.copy) };
}
