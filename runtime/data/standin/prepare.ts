/**
 * Draws the stand-ins for CIFAR-10 and for photos into the cache folder, once.
 *
 * @module
 */
import { Worker } from "node:worker_threads";
import { InterruptedError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { OFFICIAL_RECORDS, OFFICIAL_TRAIN_FILES, trainFileName } from "../sources/cifar10_folder.ts";
import type { PrepareOptions } from "../sources/source_def.ts";
import { PHOTOS, photosFolder, standInFolder } from "./cache.ts";
import { cannotWrite, type Drawn, drawOnce } from "./draw_once.ts";
import { CLASS_NAMES } from "./patterns.ts";
import type { DrawJob, DrawMessage, DrawPart } from "./worker.ts";

export interface StandInOptions extends PrepareOptions {
  /** Records per file, or photos per class; fewer in tests. */
  readonly records?: number;
}

/** Workers that draw. */
const WORKERS = 2;

/**
 * Draws the stand-in for CIFAR-10 unless it is in the cache folder.
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
  const { records = OFFICIAL_RECORDS } = options;
  const names = Array.from({ length: OFFICIAL_TRAIN_FILES }, (_, i) => trainFileName(i + 1));
  const parts = [...names, "test_batch.bin"].map((name, file) => ({ kind: "file" as const, name, file, records }));
  return drawOnce(drawn, options.signal, (folder) => draw(drawn, folder, parts, options));
}

/** Draws the photos unless they are in the cache folder, as {@linkcode prepareStandIn} does. */
export function preparePhotos(options: StandInOptions = {}): Promise<string> {
  const drawn = {
    folder: photosFolder(),
    what: "a stand-in for photos",
    megabytes: 6,
    instead: "use your own photos with imageFolder({ dir })",
  };
  const { records = PHOTOS.perClass } = options;
  const parts = CLASS_NAMES.map((_, label) => ({ kind: "class" as const, label, records }));
  return drawOnce(drawn, options.signal, (folder) => draw(drawn, folder, parts, options));
}

async function draw(
  drawn: Drawn,
  dir: string,
  parts: readonly DrawPart[],
  options: StandInOptions,
): Promise<void> {
  const total = recordsOf(parts);
  let count = 0;
  const onDrawn = (more: number) => {
    count += more;
    options.onProgress?.(count / total, `drawing ${drawn.what}`);
  };
  const workers: Worker[] = [];
  try {
    const jobs = [];
    const most = Math.ceil(parts.length / WORKERS);
    for (let i = 0; i < parts.length; i += most) {
      jobs.push(runJob(drawn, { dir, parts: parts.slice(i, i + most) }, workers, onDrawn));
    }
    await Promise.race([Promise.all(jobs), aborted(options.signal)]);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function recordsOf(parts: readonly DrawPart[]): number {
  return parts.reduce((sum, { records }) => sum + records, 0);
}

/** Starts a worker; settles when it has drawn its parts. */
function runJob(drawn: Drawn, job: DrawJob, workers: Worker[], onDrawn: (count: number) => void): Promise<void> {
  const worker = new Worker(new URL(import.meta.resolve("./worker.ts")), { workerData: job });
  workers.push(worker);
  let left = recordsOf(job.parts);
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
