import type { Emit, RunEvent } from "../result/run_event.ts";
import type { ProgressEvent } from "../result/types.ts";
import type { Result } from "../result/schema.ts";
import { inNotebook } from "./notebook/in_notebook.ts";
import { inOrder } from "./turn.ts";

/** A running measurement: a promise of its result that is also the sequence of its events. */
export interface Measurement extends Promise<Result>, AsyncIterable<RunEvent> {}

/** Options that scenarios and functions are measured with. */
export interface MeasurementControls {
  /** Ends the measurement after the current step. The promise then rejects with an {@linkcode AbortedError}. */
  readonly signal?: AbortSignal | undefined;
  /** Called with progress, between steps. An exception that it throws ends the measurement. */
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Called with every event, between steps. An exception that it throws ends the measurement. */
  readonly onEvent?: Emit | undefined;
  /** Seed of the order of the blocks, and of all random draws of a scenario. */
  readonly seed?: number | undefined;
  /** Keeps the run in the store: `true` for the default folder, or the path of another one. Default false. */
  readonly store?: boolean | string | undefined;
  /** Folder to write the files of `--report` to, also after an abort. Default: none. */
  readonly report?: string | undefined;
}

/** Connection of a measurement to its caller. */
export interface Watch {
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** Starts a measurement. Its first event follows after the caller had the chance to iterate over the events. */
export function startMeasurement(
  { signal, onProgress, onEvent }: MeasurementControls,
  work: (watch: Watch) => Promise<Result>,
): Measurement {
  const left = new AbortController();
  const queues = new Set<EventQueue>();
  const emit: Emit = (event) => {
    onEvent?.(event);
    if (event.type === "progress") onProgress?.(event);
    for (const queue of queues) queue.push(event);
  };
  const own = { signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]) };
  const result = inOrder(() => Promise.resolve().then(() => inNotebook(emit, (emit) => work({ ...own, emit }))));
  const events = () => {
    const queue = new EventQueue();
    queues.add(queue);
    result.catch(() => {}).finally(() => queue.end());
    return drain(queue, result, () => {
      queues.delete(queue);
      left.abort(new Error("The loop over the events was left"));
    });
  };
  return Object.assign(result, { [Symbol.asyncIterator]: events });
}

/** @param onLeft called if the loop ends before the measurement */
async function* drain(queue: EventQueue, result: Promise<Result>, onLeft: () => void): AsyncGenerator<RunEvent> {
  let complete = false;
  try {
    yield* queue.events();
    complete = true;
    await result;
  } finally {
    if (!complete) {
      onLeft();
      await result.catch(() => {});
    }
  }
}

/** Events that the reader has not taken yet. Of consecutive progress within a stage, only the latest is kept. */
class EventQueue {
  readonly #events: RunEvent[] = [];
  #ended = false;
  #wake = () => {};

  push(event: RunEvent): void {
    const last = this.#events.at(-1);
    if (last !== undefined && isSameStage(last, event)) this.#events[this.#events.length - 1] = event;
    else this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *events(): AsyncGenerator<RunEvent> {
    for (;;) {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) yield event;
      if (this.#ended) return;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

function isSameStage(a: RunEvent, b: RunEvent): boolean {
  if (a.type !== "progress" || b.type !== "progress") return false;
  return a.variant === b.variant && a.stage === b.stage && a.message === b.message;
}
