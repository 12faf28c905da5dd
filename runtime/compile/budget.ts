import { InputError } from "../core/errors.ts";
import { formatMemory } from "../core/memory.ts";
import type { AdapterInfo } from "../device/adapter.ts";
import type { MemoryUse } from "./plan.ts";

/**
 * Fraction of the free system memory that variants may use on a software adapter, which has no separate memory. A choice: the
 * rest is for batches, data and other programs, whose needs are unknown; without it, Linux would end one of them.
 */
const SYSTEM_SHARE = 0.8;

/** Planned memory of a variant that is resident together with others. */
export interface Resident {
  readonly name: string;
  readonly memory: MemoryUse;
  /** True if the variant needs more than this, as its kernels are not chosen yet. */
  readonly least?: boolean;
}

/**
 * Returns the bytes that stay resident when variants share one set of activation slots: the sum of their other buffers
 * plus the largest activations and workspace.
 *
 * @param separate true if each variant has slots of its own
 */
export function residentBytes(variants: readonly Resident[], separate = false): number {
  if (separate) return variants.reduce((sum, { memory }) => sum + memory.peak, 0);
  const shared = (memory: MemoryUse) => memory.activations + memory.workspace;
  const own = variants.reduce((sum, { memory }) => sum + memory.peak - shared(memory), 0);
  return own + Math.max(0, ...variants.map(({ memory }) => shared(memory)));
}

/**
 * Returns the bytes needed with a batch `factor` times as large. Parameters, gradients and optimizer state do not grow.
 */
export function bytesOfBatch(memory: MemoryUse, factor: number): number {
  const { parameters, gradients, optimizer, activations, workspace, feed } = memory;
  return parameters + gradients + optimizer + (activations + workspace + feed) * factor;
}

/** Returns the number of batches staged on the device for sinks of `sink` steps: the current sink and the next one. */
export function stagedBatches(sink: number): number {
  return 2 * sink;
}

/**
 * Returns the memory limit in bytes: the user's budget, or most of the free system memory on a software adapter, or
 * null.
 */
export function memoryLimit(budget: number | null, { fallback }: Pick<AdapterInfo, "fallback">): number | null {
  if (budget !== null) return budget;
  if (!fallback) return null;
  return Math.floor(Deno.systemMemoryInfo().available * SYSTEM_SHARE);
}

/** Describes planned memory: `5.3 GiB of device memory: 3.1 GiB of activations, 1.2 GiB of feed, ...`. */
export function describeMemory(memory: MemoryUse): string {
  const parts = partsOf(memory).filter(([, bytes]) => bytes > 0)
    .map(([name, bytes]) => `${formatMemory(bytes)} of ${name}`);
  return `${formatMemory(memory.peak)} of device memory: ${parts.join(", ")}`;
}

/** Returns the parts of planned memory, largest first. */
function partsOf(memory: MemoryUse): [name: string, bytes: number][] {
  return Object.entries(memory).filter(([name]) => name !== "peak").sort((a, b) => b[1] - a[1]);
}

/**
 * Checks the memory of variants that are resident together.
 *
 * @param separate true if they run in separate processes, which share no memory
 * @throws {InputError} if they need more than `limit`; the message names the largest part
 */
export function checkBudget(
  variants: readonly Resident[],
  limit: number | null,
  source: string,
  separate = false,
): void {
  const needed = residentBytes(variants, separate);
  if (limit === null || needed <= limit) return;
  const largest = variants.reduce((a, b) => (b.memory.peak > a.memory.peak ? b : a));
  const [name, bytes] = partsOf(largest.memory)[0]!;
  const needs = variants.some(({ least }) => least) ? "at least " : "";
  throw new InputError(
    `${variants.length === 1 ? `variant "${largest.name}" needs` : `${variants.length} variants together need`} ` +
      `${needs}${formatMemory(needed)} of device memory, more than ${source} of ${
        formatMemory(limit)
      }. The largest part is ` +
      `${formatMemory(bytes)} of ${name} in "${largest.name}"; lower loader.batchSize${
        name === "feed" ? ", sink or accumulate" : ""
      }${variants.length === 1 ? "" : ", pick fewer --variants"}, or raise memoryBudget`,
  );
}
