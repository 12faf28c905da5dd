import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stepWithWorkers } from "./step_parts.ts";

/** Waiting below this fraction of a step is not worth a thread. */
const WAITING = 0.03;

/** Maximum number of workers; sleeping threads take no core, but memory. */
const MAX_WORKERS = 16;

/** Minimum gain of a further thread, as a fraction of the step. */
const EACH = 0.02;

/**
 * Fraction of a step within which threads that mostly sleep, and so cost little, should make a batch; with less headroom
 * they would hide the next bottleneck.
 */
const HEADROOM = 0.75;

/** Proposes more workers if the loop waits for batches. */
export const moreWorkers = rule(
  "more-workers",
  ["making"],
  ({ cores, machine, making, model, parts, settings, software }) => {
    const { numWorkers } = settings.loader;
    if (numWorkers === "auto" || parts.reader / parts.step < WAITING) return null;
    const { fed, step } = parts;
    const sleeps = making.asleep > making.total / 2; // A sleeping thread takes no core
    const most = sleeps ? MAX_WORKERS : Math.min(MAX_WORKERS, machine.cores);
    const counts = Array.from({ length: Math.max(0, most - numWorkers) }, (_, i) => numWorkers + 1 + i);
    if (counts.length === 0) return null;
    const predicted = (workers: number) => stepWithWorkers(fed, making, workers, machine);
    // Relative to the prediction for the current workers, so that costs outside the model remain
    const time = (workers: number) =>
      numWorkers === 0 ? predicted(workers) : step * predicted(workers) / predicted(numWorkers);
    const best = Math.min(...counts.map(time));
    const enough = counts.filter((count) => time(count) <= best * (1 + EACH));
    const workers = enough.find((count) => !sleeps || making.total / count <= fed * HEADROOM) ?? enough[0]!;
    const threads = workers === 1 ? "a separate thread" : `${workers} threads`;
    return {
      severity: parts.reader > parts.step / 2 ? "warning" : "info",
      message: `${model === null ? "The loop" : "Training"} waits for batches for ${
        percent(parts.reader / parts.step)
      } of a step: make them on ${threads}`,
      evidence: [
        { label: "reader cost", value: `${ms(parts.reader)} of ${ms(parts.step)}`, where: "queues" },
        { label: "making a batch on one thread", value: ms(making.total), where: "pipeline" },
        { label: "cores", value: cores === null ? "–" : String(cores), where: "environment" },
      ],
      changes: [{ path: "loader.numWorkers", from: numWorkers, to: workers }],
      gain: parts.step / time(workers),
      reasoning: `a step takes the longer of training (${ms(fed)}${
        software ? ", plus the workers' share of the cores" : ""
      }) and making a batch (${ms(making.total)}) on ${threads}: ${ms(time(workers))} instead of ${ms(parts.step)}`,
    };
  },
);
