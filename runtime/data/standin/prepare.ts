/**
 * Draws the stand-in for CIFAR-10 into the cache folder, once.
 *
 * @module
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { InputError, InterruptedError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { OFFICIAL_RECORDS, OFFICIAL_TRAIN_FILES, trainFileName } from "../sources/cifar10_folder.ts";
import type { PrepareOptions } from "../sources/source_def.ts";
import { cacheFolder, standInFolder } from "./cache.ts";
import type { DrawJob, DrawMessage } from "./worker.ts";

export interface StandInOptions extends PrepareOptions {
  /** Records per file; fewer in tests. */
  readonly records?: number;
}

/** Files per worker; two workers draw the six files. */
const FILES_PER_WORKER = 3;

/** Attempts to remove a temporary folder, 50 ms apart. */
const REMOVALS = 40;

/** Age in milliseconds at which the temporary folder of a crashed process is removed. */
const STALE_MS = 3600_000;

/**
 * Draws the stand-in unless it is in the cache folder. Draws into a temporary folder and renames it once it is complete,
 * so that neither a crash nor a second process leaves an incomplete set.
 *
 * @returns its folder
 * @throws {InputError} if the cache folder cannot be written
 * @throws {InterruptedError} if the signal is aborted
 */
export async function prepareStandIn(options: StandInOptions = {}): Promise<string> {
  const folder = standInFolder();
  if (exists(folder)) return folder;
  if (options.signal?.aborted) throw new InterruptedError();
  const temporary = makeTemporary(folder);
  try {
    await draw(temporary, options);
    moveInto(temporary, folder);
  } finally {
    await removeTemporary(temporary);
  }
  return folder;
}

async function draw(dir: string, options: StandInOptions): Promise<void> {
  const records = options.records ?? OFFICIAL_RECORDS;
  const names = Array.from({ length: OFFICIAL_TRAIN_FILES }, (_, i) => trainFileName(i + 1));
  const files = [...names, "test_batch.bin"].map((name, file) => ({ name, file, records }));
  let drawn = 0;
  const onDrawn = (count: number) => {
    drawn += count;
    options.onProgress?.(drawn / (files.length * records), "drawing the stand-in for CIFAR-10");
  };
  const workers: Worker[] = [];
  try {
    const jobs = [];
    for (let i = 0; i < files.length; i += FILES_PER_WORKER) {
      jobs.push(runJob({ dir, files: files.slice(i, i + FILES_PER_WORKER) }, workers, onDrawn));
    }
    await Promise.race([Promise.all(jobs), aborted(options.signal)]);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Starts a worker; settles when it has drawn its files. */
function runJob(job: DrawJob, workers: Worker[], onDrawn: (count: number) => void): Promise<void> {
  const worker = new Worker(new URL(import.meta.resolve("./worker.ts")), { workerData: job });
  workers.push(worker);
  let left = job.files.reduce((sum, { records }) => sum + records, 0);
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(cannotWrite(job.dir, reason));
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

function makeTemporary(folder: string): string {
  try {
    Deno.mkdirSync(cacheFolder(), { recursive: true });
    removeStale(`${folder}.`);
    const temporary = `${folder}.${crypto.randomUUID()}`;
    Deno.mkdirSync(temporary);
    return temporary;
  } catch (error) {
    throw cannotWrite(cacheFolder(), reasonOf(error));
  }
}

/** Removes the temporary folders of crashed processes. */
function removeStale(prefix: string): void {
  for (const entry of Deno.readDirSync(cacheFolder())) {
    const path = join(cacheFolder(), entry.name);
    if (path.startsWith(prefix) && Date.now() - modified(path) > STALE_MS) removeFolder(path);
  }
}

/** Returns the folder's modification time in milliseconds, or the present if another process has moved or removed it. */
function modified(path: string): number {
  try {
    return Deno.lstatSync(path).mtime?.getTime() ?? 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Date.now();
    throw error;
  }
}

/** Renames the complete set. If another process was first, its set is the same. */
function moveInto(temporary: string, folder: string): void {
  try {
    Deno.renameSync(temporary, folder);
  } catch (error) {
    if (!exists(folder)) throw cannotWrite(folder, reasonOf(error));
  }
}

function cannotWrite(folder: string, reason: string): InputError {
  return new InputError(
    `Cannot draw the stand-in for CIFAR-10 into ${folder}: ${reason}; free 185 MB there, set the environment variable ` +
      "TACHO_CACHE to another cache folder, or use your own copy with cifar10({ dir })",
  );
}

/** Removes a temporary folder. Retries, since a terminated worker may still be writing a file. */
async function removeTemporary(path: string): Promise<void> {
  for (let attempt = 1; attempt <= REMOVALS; attempt++) {
    try {
      return removeFolder(path);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  // Otherwise `removeStale` removes it later
}

function removeFolder(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw cannotWrite(path, reasonOf(error));
  }
}
