/**
 * The roofline model: the speed that an adapter's peaks allow an op, and how close it gets (S. Williams, A. Waterman and
 * D. Patterson, "Roofline: an insightful visual performance model", CACM 52(4), 2009).
 *
 * @module
 */
import { ofPhase, phasesOf } from "../record/phases.ts";
import type { OpRecord } from "../result/ops.ts";
import type { Peaks, Placement, Roofline } from "../result/roofline.ts";
import type { VariantResult } from "../result/variant.ts";
import { phaseSeries } from "./step_statistics.ts";

/** Work and its time. */
export interface Work {
  /** FLOPs; a multiply-add counts as two. */
  readonly flops: number;
  /** Minimum bytes read and written. */
  readonly bytes: number;
  /** ms; null if not measured. */
  readonly time: number | null;
  readonly dtype: string;
}

/**
 * Places work on the roofline; null without work. Work in f16 may compute in either type, as kernels that sum in f32 do, so
 * its roof is the higher of the two peaks.
 */
export function place(work: Work, peaks: Peaks): Placement | null {
  return placeAll([work], work.time, peaks);
}

/** Places the ops of a step together. */
function placeAll(works: readonly Work[], time: number | null, peaks: Peaks): Placement | null {
  const flops = sum(works, (work) => work.flops);
  const bytes = sum(works, (work) => work.bytes);
  if (flops === 0 && bytes === 0) return null;
  const computeTime = sum(works, (work) => (work.flops / computePeak(work.dtype, peaks)) * 1000);
  const memoryTime = (bytes / peaks.copy.value) * 1000;
  const attainableTime = Math.max(computeTime, memoryTime);
  return {
    intensity: bytes === 0 ? null : flops / bytes,
    bound: computeTime >= memoryTime ? "compute" : "memory",
    attainable: flops === 0 ? null : flops / (attainableTime / 1000),
    attainableTime,
    share: time === null || time <= 0 ? null : attainableTime / time,
  };
}

/** Places an op by its median time; null if its work is unknown. */
export function placeOp(op: OpRecord, peaks: Peaks): Placement | null {
  const work = workOf(op);
  return work === null ? null : place(work, peaks);
}

/** Returns the placement of each timed op, by ID. */
export function roofsOf(ops: readonly OpRecord[], peaks: Peaks): Map<string, Placement & { readonly share: number }> {
  const roofs = new Map<string, Placement & { readonly share: number }>();
  for (const op of ops) {
    const placement = placeOp(op, peaks);
    if (placement !== null && placement.share !== null) roofs.set(op.id, { ...placement, share: placement.share });
  }
  return roofs;
}

/** Returns the peaks, and the placement of each variant's step that has ops. */
export function rooflineOf(
  peaks: Peaks,
  variants: readonly StepOfVariant[],
): Roofline {
  return { peaks, steps: variants.flatMap((variant) => placeStep(variant, peaks) ?? []) };
}

/** Part of a variant's result from which its step is placed. */
type StepOfVariant = Pick<VariantResult, "name" | "metrics" | "ops" | "blocks">;

/** Places a step. Its time is that of the phases if measured, since op times include the cost of profiling. */
function placeStep(variant: StepOfVariant, peaks: Peaks): Roofline["steps"][number] | null {
  const works = variant.ops.flatMap((op) => workOf(op) ?? []);
  const time = phaseTime(variant) ?? opTime(works);
  if (time === null || time <= 0) return null;
  const placement = placeAll(works, time, peaks);
  if (placement === null) return null;
  const atRoof = sum(works, (work) => place(work, peaks)?.attainableTime ?? 0);
  return { variant: variant.name, time, ...placement, opShare: atRoof / time };
}

function workOf(op: OpRecord): Work | null {
  if (op.flops === null || op.bytes === null) return null;
  return { flops: op.flops, bytes: op.bytes, time: op.median, dtype: op.dtype };
}

/** Returns the device time of a step's phases in ms: medians over the measured steps, or their mean if only that is known. */
function phaseTime({ metrics, blocks }: StepOfVariant): number | null {
  const times = phasesOf([metrics]).flatMap(({ name }) =>
    phaseSeries(blocks, name).spread?.median ?? ofPhase(metrics, name)?.value ?? []
  );
  return times.length === 0 ? null : sum(times, (time) => time);
}

function opTime(works: readonly Work[]): number | null {
  if (works.length === 0 || works.some(({ time }) => time === null)) return null;
  return sum(works, ({ time }) => time!);
}

function computePeak(dtype: string, { f32, f16 }: Peaks): number {
  return dtype === "f16" ? Math.max(f32.value, f16?.value ?? 0) : f32.value;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
