/**
 * Draws the stand-in for CIFAR-10 into the cache folder, once.
 *
 * @module
 */
import { Worker } from "node:worker_threads";
import { InterruptedError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { OFFICIAL_RECORDS, OFFICIAL_TRAIN_FILES, trainFileName } from "../sources/cifar10_folder.ts";
import type { PrepareOptions } from "../sources/source_def.ts";
import { standInFolder } from "./cache.ts";
import { cannotWrite, type Drawn, drawOnce } from "./draw_once.ts";
import type { DrawJob, DrawMessage } from "./worker.ts";

export interface StandInOptions extends PrepareOptions {
  /** Records per file; fewer in tests. */
  readonly records?: number;
}

/** Files per worker; two workers draw the six files. */
const FILES_PER_WORKER = 3;

/**
 * Draws the stand-in unless it is in the cache folder.
 *
 * @returns its folder
 * @throws {InputError} if the cache folder cannot be written
 * @throws {InterruptedError} if the signal is aborted
 */
export function prepareStandIn(options: StandInOptions = {}): Promise<string> {
  const drawn = {
    folder: standInFolder(),
    what: "the stand-in for CIFAR-10",
    megabytes: 185,
    instead: "use your own copy with cifar10({ dir })",
  };
  return drawOnce(drawn, options.signal, (folder) => draw(drawn, folder, options));
}

async function draw(drawn: Drawn, dir: string, options: StandInOptions): Promise<void> {
  const records = options.records ?? OFFICIAL_RECORDS;
  const names = Array.from({ length: OFFICIAL_TRAIN_FILES }, (_, i) => trainFileName(i + 1));
  const files = [...names, "test_batch.bin"].map((name, file) => ({ name, file, records }));
  let count = 0;
  const onDrawn = (more: number) => {
    count += more;
    options.onProgress?.(count / (files.length * records), `drawing ${drawn.what}`);
  };
  const workers: Worker[] = [];
  try {
    const jobs = [];
    for (let i = 0; i < files.length; i += FILES_PER_WORKER) {
      jobs.push(runJob(drawn, { dir, files: files.slice(i, i + FILES_PER_WORKER) }, workers, onDrawn));
    }
    await Promise.race([Promise.all(jobs), aborted(options.signal)]);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Starts a worker; settles when it has drawn its files. */
function runJob(drawn: Drawn, job: DrawJob, workers: Worker[], onDrawn: (count: number) => void): Promise<void> {
  const worker = new Worker(new URL(import.meta.resolve("./worker.ts")), { workerData: job });
  workers.push(worker);
  let left = job.files.reduce((sum, { records }) => sum + records, 0);
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(cannotWrite(drawn, job.dir, reason));
    worker.on("message", (message: DrawMessage) => {
      if ("error" in message) return fail(message.error);
      left -= message.drawn;
      onDrawn(message.drawn);
    });
    worker.on("error", (error: unknown) => fail(reasonOf(error)));
    worker.on("exit", () => left === 0 ? resolve() : fail("a worker ended before it had finished"));
  });
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new InterruptedError()), { once: true });
  });
}
