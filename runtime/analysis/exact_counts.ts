/**
 * Exact counts of a step: derived from counters that every arm can report, and compared kernel by kernel.
 *
 * @module
 */
import type { ExactCounts, ExactKernel } from "../result/schema.ts";

/** Operations of the device that are counted over steps. */
export const COUNTED_OPERATIONS = [
  "submits",
  "waits",
  "readbacks",
  "readbackBytes",
  "uploads",
  "uploadBytes",
  "copies",
  "copyBytes",
  "newBuffers",
] as const;

type Operation = typeof COUNTED_OPERATIONS[number];

/**
 * Returns the operations per step; null for those that were not counted.
 *
 * @param counts totals over `steps` steps; `splits` are submits that the time of steps caused, each with a wait
 */
export function countsPerStep(
  counts: Readonly<Partial<Record<Operation | "splits", number>>>,
  steps: number,
): Pick<ExactCounts, Operation> {
  const { splits = 0 } = counts;
  const perStep = (name: Operation) => {
    const total = counts[name];
    if (total === undefined || steps === 0) return null;
    const perStep = (total - (name === "submits" || name === "waits" ? splits : 0)) / steps;
    return Number.isNaN(perStep) ? null : perStep;
  };
  return Object.fromEntries(COUNTED_OPERATIONS.map((name) => [name, perStep(name)])) as Record<
    Operation,
    number | null
  >;
}

/** Returns one text for a set of kernels: equal texts mean equal kernels, dispatched equally often. */
export function kernelsDigest(kernels: readonly ExactKernel[]): string {
  const lines = kernels.map(({ hash, dispatches }) => `${hash}x${dispatches}`).toSorted();
  let digest = 0xcbf29ce484222325n; // FNV-1a, 64 bits
  for (const char of lines.join()) {
    digest = BigInt.asUintN(64, (digest ^ BigInt(char.codePointAt(0)!)) * 0x100000001b3n);
  }
  return digest.toString(16).padStart(16, "0");
}

/** Number of kernels to name on each side of a difference. */
const NAMED = 4;

/** Describes the kernels that differ: `new: a (1f2e); gone: b (9c0d)`; empty if none does. */
export function kernelDifferences(now: readonly ExactKernel[], then: readonly ExactKernel[]): string {
  const missing = (from: readonly ExactKernel[], other: readonly ExactKernel[]) =>
    from.filter(({ hash }) => !other.some((kernel) => kernel.hash === hash));
  const repeated = now.flatMap(({ name, hash, dispatches }) => {
    const before = then.find((kernel) => kernel.hash === hash);
    if (before === undefined || before.dispatches === dispatches) return [];
    return [`${name} ${dispatches} times instead of ${before.dispatches}`];
  });
  const named = (label: string, kernels: readonly ExactKernel[]) =>
    kernels.length === 0
      ? []
      : [`${label}: ${listed(kernels.map(({ name, hash }) => `${name} (${hash.slice(0, 6)})`))}`];
  return [
    ...named("new", missing(now, then)),
    ...named("gone", missing(then, now)),
    ...repeated.length === 0 ? [] : [listed(repeated)],
  ].join("; ");
}

function listed(texts: readonly string[]): string {
  const more = texts.length > NAMED ? [`${texts.length - NAMED} more`] : [];
  return [...texts.slice(0, NAMED), ...more].join(", ");
}
