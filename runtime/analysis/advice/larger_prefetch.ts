import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stepWithWorkers } from "./step_parts.ts";

/** Waiting below this fraction of a step is not worth memory. */
const WAITING = 0.03;

/** Maximum number of batches ahead; more only take memory. */
const MAX_AHEAD = 16;

/** A batch that takes this many times the mean empties the queue. */
const BURST = 1.5;

/** Proposes a longer prefetch if workers keep up on average, but not for every batch. */
export const largerPrefetch = rule(
  "larger-prefetch",
  ["making", "pipeline"],
  ({ machine, making, parts, pipeline, settings, workers }) => {
    const { prefetch } = settings.loader;
    const queue = pipeline.queues.host;
    const { fed, reader, step } = parts;
    if (workers === 0 || reader / step < WAITING || making.longest < BURST * making.total) return null;
    if (making.total / workers > fed) return null; // They do not keep up
    const to = Math.min(MAX_AHEAD, Math.ceil(prefetch * making.longest / making.total));
    if (to <= prefetch) return null;
    const time = stepWithWorkers(fed, making, workers, machine);
    return {
      message: "Workers keep up on average, but some batches take longer: prefetch more",
      evidence: [
        { label: "making a batch", value: `${ms(making.total)}, at most ${ms(making.longest)}`, where: "pipeline" },
        { label: "reader cost", value: `${ms(reader)} of ${ms(step)}`, where: "queues" },
        { label: "host queue empty", value: queue === null ? "–" : percent(queue.empty), where: "queues" },
      ],
      changes: [{ path: "loader.prefetch", from: prefetch, to }],
      gain: step / time,
      reasoning: `${workers} workers make a batch every ${ms(making.total / workers)}, a step without waiting takes ` +
        `${ms(fed)}: with enough batches ahead the slower of the two decides, ${ms(time)} instead of ${ms(step)}`,
    };
  },
);
