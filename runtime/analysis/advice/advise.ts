/**
 * What to change to train faster, and how much faster it should be: one rule a file.
 *
 * @module
 */
import type { Finding } from "../../result/finding.ts";
import { align } from "./align.ts";
import { amp } from "./amp.ts";
import { autotune } from "./autotune.ts";
import { batchSize } from "./batch_size.ts";
import { fuseOps } from "./fuse_ops.ts";
import { fuseTransforms } from "./fuse_transforms.ts";
import type { AdviceInput } from "./input.ts";
import { largerBatch } from "./larger_batch.ts";
import { largerPrefetch } from "./larger_prefetch.ts";
import { layout } from "./layout.ts";
import { monitorLess } from "./monitor.ts";
import { moreWorkers } from "./more_workers.ts";
import { placement } from "./placement.ts";
import { reorderTransforms } from "./reorder_transforms.ts";
import { sharedMemory } from "./shared_memory.ts";
import { sink } from "./sink.ts";
import { sinkSize } from "./sink_size.ts";
import { slowOp } from "./slow_op.ts";
import { slowerInF16 } from "./slower_in_f16.ts";

/** Looks at what was measured; null where it has nothing to say, or promises too little. */
export type Rule = (input: AdviceInput) => Finding | null;

/** All rules. What is not measured keeps those quiet that need it. */
export const RULES: readonly Rule[] = [
  moreWorkers,
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
  layout,
  align,
  batchSize,
  largerBatch,
];

/** What the rules find, the most promising first; of several that would change the same, the first. */
export function advise(input: AdviceInput): Finding[] {
  if (input.variant.status !== "ok") return [];
  const findings = RULES.flatMap((rule) => rule(input) ?? []);
  const sorted = findings.toSorted((a, b) => b.predicted!.gain - a.predicted!.gain);
  const changed = new Set<string>();
  return sorted.filter(({ kind, changes }) => {
    const key = changes.length === 0 ? kind : JSON.stringify(changes.map(({ path, to }) => [path, to]));
    return changed.size < changed.add(key).size;
  });
}
