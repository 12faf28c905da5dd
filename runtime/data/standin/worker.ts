/**
 * Entry module of the workers that draw the stand-in. `workerData` is a `DrawJob`; messages to the main thread are
 * `DrawMessage`s.
 *
 * @module
 */
import { reasonOf } from "../../core/shown.ts";
import { parentPort, workerData } from "node:worker_threads";
import { writeDrawnFile } from "./draw.ts";
import { writePhotos } from "./photos.ts";

/** Work of one worker: files of the stand-in for CIFAR-10, or classes of photos. */
export interface DrawJob {
  readonly dir: string;
  readonly parts: readonly DrawPart[];
}

export type DrawPart =
  | { readonly kind: "file"; readonly file: number; readonly name: string; readonly records: number }
  | { readonly kind: "class"; readonly label: number; readonly records: number };

/** Number of records drawn since the last message, or the reason of a failure. */
export type DrawMessage = { readonly drawn: number } | { readonly error: string };

const job: DrawJob = workerData;

function send(message: DrawMessage): void {
  parentPort?.postMessage(message);
}

try {
  for (const part of job.parts) {
    if (part.kind === "file") writeDrawnFile(job.dir, part.name, part.file, part.records, (drawn) => send({ drawn }));
    else writePhotos(job.dir, part.label, part.records, () => send({ drawn: 1 }));
  }
} catch (error) {
  send({ error: reasonOf(error) });
}
