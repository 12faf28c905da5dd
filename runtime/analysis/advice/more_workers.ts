import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stepWithWorkers } from "./step_parts.ts";

/** Waiting that takes less than this part of a step is not worth a thread. */
const WAITING = 0.03;

/** Threads that sleep take no core, but memory. */
const MOST_WORKERS = 16;

/** A further thread has to bring so much of a step. */
const EACH = 0.02;

/**
 * Threads that mostly sleep cost little, so that batches should be made in this part of the step that they are for: else
 * the next thing to be mended hides behind them.
 */
const HEADROOM = 0.75;

/** Makes batches on more threads, where the loop waits for them. */
export const moreWorkers = rule(
  "more-workers",
  ["making"],
  ({ cores, machine, making, model, parts, settings, software }) => {
    const { numWorkers } = settings.loader;
    if (numWorkers === "auto" || parts.reader / parts.step < WAITING) return null;
    const { fed, step } = parts;
    const sleeps = making.asleep > making.total / 2; // and takes no core meanwhile
    const most = sleeps ? MOST_WORKERS : Math.min(MOST_WORKERS, machine.cores);
    const counts = Array.from({ length: Math.max(0, most - numWorkers) }, (_, i) => numWorkers + 1 + i);
    if (counts.length === 0) return null;
    const reckoned = (workers: number) => stepWithWorkers(fed, making, workers, machine);
    // Held against the same reckoning for today's workers, so that what it does not know of stays
    const time = (workers: number) =>
      numWorkers === 0 ? reckoned(workers) : step * reckoned(workers) / reckoned(numWorkers);
    const best = Math.min(...counts.map(time));
    const enough = counts.filter((count) => time(count) <= best * (1 + EACH));
    const workers = enough.find((count) => !sleeps || making.total / count <= fed * HEADROOM) ?? enough[0]!;
    const threads = workers === 1 ? "a thread of its own" : `${workers} threads`;
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
      reasoning: `a step takes the longest of training (${ms(fed)}${
        software ? ", and the makers' share of the cores" : ""
      }) and of a batch's making (${ms(making.total)}) on ${threads}: ${ms(time(workers))} in place of ${
        ms(parts.step)
      }`,
    };
  },
);
