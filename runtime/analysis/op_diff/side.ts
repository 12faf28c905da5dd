/**
 * The two sides of a difference by op or kernel, as plain data: variants of any run, or programs.
 *
 * @module
 */
import type { AttachResult, KernelResult } from "../../result/attach_result.ts";
import { median } from "../../core/statistics.ts";
import type { KernelTimes, OpRecord, Result, VariantResult } from "../../result/schema.ts";

/** Units of a difference. Programs have no ops. */
export const DIFF_UNITS = ["op", "kernel"] as const;

export type DiffUnit = (typeof DIFF_UNITS)[number];

/** An op in a phase, or a kernel with all its dispatches. Times are ms per step. */
export interface DiffItem {
  /** Name that matches it on the other side. */
  readonly key: string;
  readonly name: string;
  /** Phase of an op; null for a kernel. */
  readonly phase: string | null;
  /** Kernel that runs, with the hash of its code where known. */
  readonly kernel: string;
  /** Equal on both sides if the same code runs on the same shapes. */
  readonly work: string;
  /** Median time of a step in ms; null if it was not timed. */
  readonly median: number | null;
  /** Time in each step or round, null where it is unusable; empty if none were kept. */
  readonly samples: readonly (number | null)[];
}

/** A variant or program. Times are medians in ms; null where unknown. */
export interface DiffSide {
  readonly label: string;
  readonly items: readonly DiffItem[];
  /** Time from the start of one step to that of the next. */
  readonly step: number | null;
  /** Identifies the rounds in which it took turns with others in one process; null if it was timed alone. */
  readonly rounds: string | null;
}

/**
 * Returns a variant as a side; a program that was profiled, by kernel.
 *
 * @param rounds see {@linkcode DiffSide.rounds}
 */
export function variantSide(
  label: string,
  { ops, metrics, attached }: VariantResult,
  by: DiffUnit,
  rounds: string | null,
): DiffSide {
  if (attached !== undefined) return programSide(label, attached);
  const items = by === "op" ? opItems(ops) : kernelItems(ops);
  return { label, items, step: metrics.batchCost?.value ?? null, rounds };
}

/**
 * Returns the name of the rounds in which a variant's ops were timed: those of the run, or of a shard of a merged run; null
 * where several shards measured it.
 */
export function roundsOf({ nodes }: Pick<Result, "nodes">, variant: string): string | null {
  if (nodes === undefined) return "run";
  const own = nodes.filter(({ speeds }) => speeds.some((speed) => speed.variant === variant));
  return own.length === 1 ? `shard ${own[0]!.shard}` : null;
}

function opItems(ops: readonly OpRecord[]): DiffItem[] {
  return withKeys(ops.map((op) => {
    const samples = sumsOf(op.kernels);
    return {
      key: `${op.phase} ${op.id}`,
      name: op.name,
      phase: op.phase,
      kernel: op.kernel,
      work: JSON.stringify([op.kernels.map(({ name }) => name), shapesOf(op)]),
      median: medianOf(samples) ?? op.median,
      samples,
    };
  }));
}

function kernelItems(ops: readonly OpRecord[]): DiffItem[] {
  const dispatches = ops.flatMap((op) => op.kernels.map((kernel) => ({ kernel, op })));
  return [...Map.groupBy(dispatches, ({ kernel }) => kernel.name)].map(([name, own]) => {
    const medians = own.map(({ kernel }) => kernel.median);
    const all = medians.some((ms) => ms === null) ? null : medians.reduce<number>((sum, ms) => sum + ms!, 0);
    const samples = sumsOf(own.map(({ kernel }) => kernel));
    return {
      key: name,
      name,
      phase: null,
      kernel: name,
      work: JSON.stringify(own.map(({ op }) => shapesOf(op))),
      median: medianOf(samples) ?? all,
      samples,
    };
  });
}

function shapesOf({ inputs, outputs, dtype }: OpRecord): unknown {
  return [[...inputs, ...outputs].map(({ shape, dtype }) => [shape, dtype]), dtype];
}

/** Returns the time of some dispatches together by round; null where one is unusable. */
function sumsOf(kernels: readonly KernelTimes[]): (number | null)[] {
  const [first = [], ...others] = kernels.map(({ samples = [] }) => samples);
  return first.map((time, round) =>
    others.reduce<number | null>((sum, samples) => {
      const own = samples[round] ?? null;
      return sum === null || own === null ? null : sum + own;
    }, time)
  );
}

/** Returns the median of the usable samples; null without any. */
function medianOf(samples: readonly (number | null)[]): number | null {
  const known = samples.filter((ms) => ms !== null);
  return known.length === 0 ? null : median(known);
}

/** Returns a program as a side: the kernels of its first device, per step, or of the whole run where it has no steps. */
export function programSide(label: string, { devices }: Pick<AttachResult, "devices">): DiffSide {
  const device = devices.find(({ perStep }) => perStep !== null) ?? devices[0];
  const whole = (device?.steadySteps ?? 0) === 0;
  const inSteps = (device?.kernels ?? []).filter(({ untimed }) => untimed !== "outside");
  return {
    label,
    items: withKeys(inSteps.map((kernel) => programItem(kernel, whole))),
    step: device?.untimedWall ?? device?.timedWall ?? null,
    rounds: null,
  };
}

function programItem(kernel: KernelResult, whole: boolean): DiffItem {
  const { name, label, entryPoint, does, hash, line, total, calls, perStep, grids, samples = [] } = kernel;
  const title = label || `${entryPoint || "?"}: ${does || name}`;
  const perCall = total === null || calls === 0 ? null : total / calls;
  const mean = whole ? total : perCall === null || perStep === null ? null : perCall * perStep;
  return {
    key: title,
    name: line === null ? title : `${title} (${line})`,
    phase: null,
    kernel: hash === "" ? name : `#${hash}`,
    work: JSON.stringify([hash, shares(grids), perStep?.toFixed(1)]),
    median: whole ? mean : medianOf(samples) ?? mean,
    samples: whole ? [] : samples,
  };
}

/** Returns grids with their shares of the calls, rounded, which hardly depend on the number of steps. */
function shares(grids: KernelResult["grids"]): unknown {
  const all = grids.reduce((sum, { calls }) => sum + calls, 0);
  return grids.map(({ grid, calls }) => [grid, (calls / all).toFixed(1)]);
}

/** Numbers items of one key, so that the first on one side is matched with the first on the other. */
function withKeys(items: readonly DiffItem[]): DiffItem[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const count = seen.get(item.key) ?? 0;
    seen.set(item.key, count + 1);
    return count === 0 ? item : { ...item, key: `${item.key} ${count + 1}` };
  });
}
