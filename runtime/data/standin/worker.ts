/**
 * Entry of the workers that draw the stand-in. `workerData` is a `DrawJob`; each message to the main thread is the
 * number of records drawn since the last.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import { writeDrawnFile } from "./write.ts";

/** The files that one worker draws. */
export interface DrawJob {
  readonly dir: string;
  readonly files: readonly { readonly name: string; readonly file: number; readonly records: number }[];
}

/** What the worker tells the main thread: records drawn since the last message, or why it gave up. */
export type DrawMessage = { readonly drawn: number } | { readonly error: string };

const job: DrawJob = workerData;

function tell(message: DrawMessage): void {
  parentPort?.postMessage(message);
}

try {
  for (const { name, file, records } of job.files) {
    writeDrawnFile(job.dir, name, file, records, (drawn) => tell({ drawn }));
  }
} catch (error) {
  tell({ error: error instanceof Error ? error.message : String(error) });
}
