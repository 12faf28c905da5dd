import type { AdviceContext } from "./context.ts";
import { mostSamples } from "./fixed_cost.ts";
import type { PlanChanges } from "./planned_step.ts";
import { plannedTime } from "./planned_time.ts";
import { shortened } from "./step_parts.ts";
import { bytesOfBatch } from "../../compile/budget.ts";

/** Step with a larger batch that fits in memory. */
export interface LargerStep {
  /** Factor on the batch. */
  readonly factor: number;
  /** Predicted / current samples per second. */
  readonly gain: number;
  /** Note on what limits the gain. */
  readonly limit: string;
  /** Time on the device: ms. */
  readonly device: number;
  /** The part of it that computes activations again. */
  readonly again: number;
  /** Time beside the device's that does not grow with the batch: ms. */
  readonly host: number;
}

/**
 * Predicts a step with a larger batch, or with fewer, larger micro-batches: the device's time by the plan,
 * the host's as it is, and reading and copying for all samples. Returns null if it does not fit in memory.
 *
 * @param accumulates true to keep the samples of a step
 */
export function largerStep(context: AdviceContext, changes: PlanChanges, accumulates = false): LargerStep | null {
  const { allReduce, device, parts, variant } = context;
  const factor = changes.batch;
  const planned = fits(context, changes) ? plannedTime(context, changes) : null;
  if (planned === null || device === null) return null;
  // Samples are read and copied, and a slow rank takes longer for each; the rest comes once for all of them
  const samples = parts.reader + parts.copy + (allReduce?.sampleWait ?? 0);
  const rest = Math.min(Math.max(0, parts.step - device), samples);
  const host = Math.max(0, parts.step - device - rest);
  const update = variant.metrics.update?.value ?? 0;
  const micro = Math.max(0, planned.device - update) / factor;
  const time = accumulates ? host + rest + micro + update : (host + planned.device) / factor + rest;
  return { factor, ...shortened(parts, parts.step - time), device: planned.device, again: planned.again, host };
}

/** Factors to try; larger ones change training too much. */
const FACTORS = [2, 4, 8];

/** Gain of a factor of 2 below which larger factors are not planned. */
const PROMISING = 1.01;

/**
 * Returns the larger batch with the largest gain that fits in memory and is no larger than the data; null if none gains.
 *
 * @param each minimum further gain of a larger factor
 */
export function bestLargerStep(context: AdviceContext, each: number): LargerStep | null {
  let best: LargerStep | null = null;
  for (const batch of FACTORS.filter((factor) => factor <= mostSamples(context))) {
    const next = largerStep(context, { batch });
    if (next === null || next.gain < PROMISING) break;
    if (next.gain > (best?.gain ?? 1) * each) best = next;
  }
  return best;
}

/**
 * Fraction of the memory limit to use. Without a plan of the larger batch, that takes up to 0.9 % more than is expected
 * here, over an MLP, ResNet-20 and a GPT. With one, tuned kernels may need more scratch memory.
 */
const ROOM = 0.99;

type Facts = Pick<AdviceContext, "memory" | "memoryLimit" | "plan">;

/** Returns true if memory, and not the data, keeps a batch twice as large from fitting. */
export function boundsBatch(facts: Facts): boolean {
  return !fits(facts, { batch: 2 });
}

/** Returns true if a step with changes fits in memory, as far as that is known. */
export function fits({ memory, memoryLimit, plan }: Facts, changes: PlanChanges): boolean {
  if (memoryLimit === null || memory === null) return true;
  const planned = plan?.(changes) ?? null;
  if (planned === null && changes.recompute === true) return false;
  return (planned?.memory.peak ?? bytesOfBatch(memory, changes.batch)) <= memoryLimit * ROOM;
}
