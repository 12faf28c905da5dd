/**
 * Advice on settings that make training faster, with predicted gains. Each rule has a file and a line in `RULES`.
 *
 * @module
 */
import type { Finding } from "../../result/finding.ts";
import type { VariantResult } from "../../result/variant.ts";
import { accumulate } from "./accumulate.ts";
import { align } from "./align.ts";
import { amp } from "./amp.ts";
import { autotune } from "./autotune.ts";
import { batchSize } from "./batch_size.ts";
import { cacheSamples } from "./cache_samples.ts";
import { type AdviceInput, contextOf, type DataFacts, type RunFacts } from "./context.ts";
import { fuseOps } from "./fuse_ops.ts";
import { fuseTransforms } from "./fuse_transforms.ts";
import { largerBatch } from "./larger_batch.ts";
import { largerPrefetch } from "./larger_prefetch.ts";
import { layout } from "./layout.ts";
import { monitorLess } from "./monitor.ts";
import { moreWorkers } from "./more_workers.ts";
import { placement } from "./placement.ts";
import type { PlanStep } from "./planned_step.ts";
import { recompute } from "./recompute.ts";
import { largerBucket } from "./ranks/bucket.ts";
import { compressGradients } from "./ranks/compress.ts";
import { largerLocalBatch } from "./ranks/local_batch.ts";
import { overlapRanks } from "./ranks/overlap.ts";
import { slowRank } from "./ranks/slow_rank.ts";
import { reorderTransforms } from "./reorder_transforms.ts";
import { sequenceLength } from "./sequence_length.ts";
import { sharedMemory } from "./shared_memory.ts";
import { sink } from "./sink.ts";
import { sinkSize } from "./sink_size.ts";
import type { Rule } from "./rule.ts";
import { slowOp } from "./slow_op.ts";
import { slowStage } from "./slow_stage.ts";
import { slowerInF16 } from "./slower_in_f16.ts";
import { tiledAttention } from "./tiled_attention.ts";
import { vocabulary } from "./vocabulary.ts";

/** All rules. Each applies if everything that it needs was measured. */
export const RULES: readonly Rule[] = [
  moreWorkers,
  cacheSamples,
  largerPrefetch,
  fuseTransforms,
  reorderTransforms,
  placement,
  sharedMemory,
  monitorLess,
  sink,
  sinkSize,
  amp,
  slowerInF16,
  fuseOps,
  autotune,
  slowOp,
  slowStage,
  layout,
  align,
  tiledAttention,
  sequenceLength,
  vocabulary,
  batchSize,
  largerBatch,
  recompute,
  accumulate,
  largerBucket,
  overlapRanks,
  compressGradients,
  largerLocalBatch,
  slowRank,
];

/** Returns the findings of all rules, largest predicted gain first; of findings with the same changes, only the first. */
export function advise(input: AdviceInput): Finding[] {
  const context = input.variant.status === "ok" ? contextOf(input) : null;
  if (context === null) return [];
  const findings = RULES.flatMap((rule) => rule(context) ?? []);
  const sorted = findings.toSorted((a, b) => b.predicted!.gain - a.predicted!.gain);
  const changed = new Set<string>();
  return sorted.filter(({ kind, changes }) => {
    const key = changes.length === 0 ? kind : JSON.stringify(changes.map(({ path, to }) => [path, to]));
    return changed.size < changed.add(key).size;
  });
}

/**
 * Adds findings to the variants of a run.
 *
 * @param data training data by variant name
 * @param plans planners by variant name
 */
export function adviseAll(
  variants: readonly VariantResult[],
  baseline: string,
  facts: RunFacts,
  data: ReadonlyMap<string, DataFacts>,
  plans: ReadonlyMap<string, PlanStep> = new Map(),
): VariantResult[] {
  const reference = variants.find(({ name }) => name === baseline) ?? null;
  return variants.map((variant) => ({
    ...variant,
    // Programs already have their advice, from their counts
    findings: variant.attached !== undefined ? variant.findings : advise({
      ...facts,
      variant,
      baseline: reference === variant ? null : reference,
      data: data.get(variant.name) ?? null,
      plan: plans.get(variant.name) ?? null,
    }),
  }));
}
