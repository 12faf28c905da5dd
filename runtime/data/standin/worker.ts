/**
 * Entry module of the workers that draw the stand-in. `workerData` is a `DrawJob`; messages to the main thread are
 * `DrawMessage`s.
 *
 * @module
 */

import { reasonOf } from "../../core/shown.ts";
import { parentPort, workerData } from "node:worker_threads";
import { type Canvas, drawImage, writeDrawnFile } from "./draw.ts";
import { join } from "node:path";
import { encode } from "jpeg-js";
import { writeFile } from "../../core/files.ts";
import { RandomStream, streamKey } from "../../core/random.ts";
import { PHOTOS } from "./cache.ts";
import { CLASS_NAMES } from "./patterns.ts";

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

const KEY = streamKey(PHOTOS.version, "data/standin/photos");

/** Quality of the files, usual for cameras and websites. */
const QUALITY = 85;

const CANVAS: Canvas = { height: PHOTOS.height, width: PHOTOS.width, plane: 1, stride: 4, grey: true };

/**
 * Draws `count` images of a class and writes them to the class's folder in `dir`: JPEG files with the size of photos and
 * the classes of the stand-in for CIFAR-10, the data of `imageFolder` without a folder.
 */
function writePhotos(dir: string, label: number, count: number, onImage: () => void): void {
  const folder = join(dir, CLASS_NAMES[label]!.replaceAll(" ", "_"));
  Deno.mkdirSync(folder);
  const { height, width } = PHOTOS;
  const data = new Uint8Array(height * width * 4);
  for (let i = 0; i < count; i++) {
    drawImage(label, new RandomStream(KEY, label, i), data, CANVAS);
    const file = encode({ data, width, height }, QUALITY);
    writeFile(join(folder, `${String(i).padStart(3, "0")}.jpg`), file.data, { write: true, createNew: true });
    onImage();
  }
}

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
