/**
 * Entry module of the workers that draw the stand-in. `workerData` is a `DrawJob`; messages to the main thread are
 * `DrawMessage`s.
 *
 * @module
 */
import { reasonOf } from "../../core/shown.ts";
import { parentPort, workerData } from "node:worker_threads";
import { writeDrawnFile } from "./draw.ts";

/** Files that one worker draws. */
export interface DrawJob {
  readonly dir: string;
  readonly files: readonly { readonly name: string; readonly file: number; readonly records: number }[];
}

/** Number of records drawn since the last message, or the reason of a failure. */
export type DrawMessage = { readonly drawn: number } | { readonly error: string };

const job: DrawJob = workerData;

function send(message: DrawMessage): void {
  parentPort?.postMessage(message);
}

try {
  for (const { name, file, records } of job.files) {
    writeDrawnFile(job.dir, name, file, records, (drawn) => send({ drawn }));
  }
} catch (error) {
  send({ error: reasonOf(error) });
}
