import type { Block, Work } from "../../result/schema.ts";
import { median } from "../../core/statistics.ts";

/** Counts that tell how much work a step holds, with their nouns. Reading results back less often is no less work. */
const COUNTS: Readonly<Record<keyof Work, string>> = {
  dispatches: "dispatches",
  renderPasses: "render passes",
  uploadBytes: "uploaded bytes",
  marks: "marks",
};

/** Blocks of a program. */
export interface ProgramBlocks {
  readonly name: string;
  readonly blocks: readonly Block[];
}

/**
 * Returns why the steps of two programs cannot be compared: a count of their work differs by more than `tolerance` (0.01 for
 * 1 %), and no block of one has as much as a block of the other. Null where none does, or the work is unknown.
 */
export function workReason(arm: ProgramBlocks, baseline: ProgramBlocks, tolerance: number): string | null {
  const differing = (Object.keys(COUNTS) as (keyof Work)[]).flatMap((count) => {
    const [own, other] = [perStep(arm, count), perStep(baseline, count)];
    return differ(own, other, tolerance) ? [{ noun: COUNTS[count], own: median(own), other: median(other) }] : [];
  });
  if (differing.length === 0) return null;
  const counts = differing.map(({ noun, own, other }) =>
    `${noun} ${figure(own)}, of ${baseline.name} ${figure(other)}`
  );
  return `a step is not the same work: ${counts.join("; ")}; unit and perStep (--unit, --per-step) say what a step ` +
    "holds, steps (--steps) where it ends";
}

function perStep({ blocks }: ProgramBlocks, count: keyof Work): number[] {
  return blocks.flatMap(({ work, steps }) => work === undefined ? [] : [work[count] / steps.length]);
}

function differ(own: readonly number[], other: readonly number[], tolerance: number): boolean {
  if (own.length === 0 || other.length === 0) return false;
  const [less, more] = median(own) < median(other) ? [own, other] : [other, own];
  return Math.max(...less) < Math.min(...more) && median(more) > (1 + tolerance) * median(less);
}

function figure(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

/** Largest part of the measured updates that loss scaling may skip. */
const MAX_SKIPPED = 0.05;

/** Updates of a training with loss scaling. */
export interface Updates {
  /** Measured steps. */
  readonly measured: number;
  /** Measured steps whose update loss scaling skipped. */
  readonly skipped: number;
}

/**
 * Returns why the skipped updates make a measurement invalid, or null where they do not. A step without its update is
 * faster, and trains nothing.
 *
 * @param updates null without loss scaling
 */
export function updatesReason(updates: Updates | null): string | null {
  if (updates === null || updates.skipped <= MAX_SKIPPED * updates.measured) return null;
  const { measured, skipped } = updates;
  return skipped === measured
    ? `loss scaling skipped all ${measured} measured updates: nothing was trained`
    : `loss scaling skipped ${skipped} of ${measured} measured updates, ${MAX_SKIPPED * 100} % allowed`;
}
