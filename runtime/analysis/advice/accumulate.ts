import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { fixedCost, mostSamples, trainingChanges } from "./fixed_cost.ts";
import { boundsBatch } from "./larger_step.ts";
import { shortened } from "./step_parts.ts";

/** Numbers of micro-batches to try; larger ones change training too much. */
const COUNTS = [2, 4, 8];

/** Minimum further gain of more micro-batches. */
const EACH = 1.03;

/** Bytes that accumulation moves for each byte of gradients: it reads both buffers and writes one. */
const MOVED = 3;

/** Proposes gradient accumulation where memory bounds the batch and a step has costs that come once per update. */
export const accumulate = rule("accumulate", ["device", "memory", "memoryLimit", "ops"], (context) => {
  const { memory, memoryLimit, ops, parts, settings, variant } = context;
  const update = variant.metrics.update?.value ?? null;
  if (settings.accumulate > 1 || settings.optimizer === null || update === null) return null;
  if (!boundsBatch(context) || memory.peak + memory.gradients > memoryLimit) return null;
  const moved = ops.reduce((sum, { phase, bytes }) => phase === "update" ? sum + (bytes ?? 0) : sum, 0);
  if (moved === 0) return null;
  const price = update * MOVED * memory.gradients / moved;
  const { host } = fixedCost(context);
  const of = (count: number) => shortened(parts, (host + update) * (1 - 1 / count) - price);
  let count = 1;
  let best = 1;
  for (const next of COUNTS) {
    const { gain } = of(next);
    if (next > mostSamples(context) || gain < best * EACH) continue;
    [count, best] = [next, gain];
  }
  if (count === 1) return null;
  const { gain, limit } = of(count);
  return {
    message: `Memory bounds the batch: accumulate the gradients of ${count} micro-batches${trainingChanges(settings)}`,
    evidence: [
      { label: "peak memory", value: `${percent(memory.peak / memoryLimit)} of the limit`, where: "memory" },
      { label: "update", value: `${ms(update)} of ${ms(parts.step)}`, where: "steps" },
      { label: "host, between phases", value: ms(host), where: "steps" },
    ],
    changes: [{ path: "accumulate", from: 1, to: count }],
    gain,
    reasoning:
      `the update and the host's work, ${ms(update + host)}, come once for ${count} micro-batches, each of which ` +
      `adds its gradients in ${ms(price)}${limit}`,
  };
});
