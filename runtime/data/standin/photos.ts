/**
 * JPEG files with the size of photos and the classes of the stand-in for CIFAR-10: the data of `imageFolder` without a folder.
 *
 * @module
 */
import { join } from "node:path";
import { encode } from "jpeg-js";
import { writeFile } from "../../core/files.ts";
import { RandomStream } from "../../core/random.ts";
import { streamKey } from "../keys.ts";
import { PHOTOS } from "./cache.ts";
import { type Canvas, drawImage } from "./draw.ts";
import { CLASS_NAMES } from "./patterns.ts";

const KEY = streamKey(PHOTOS.version, "data/standin/photos");

/** Quality of the files, usual for cameras and websites. */
const QUALITY = 85;

const CANVAS: Canvas = { height: PHOTOS.height, width: PHOTOS.width, plane: 1, stride: 4, grey: true };

/** Draws `count` images of a class and writes them to the class's folder in `dir`. */
export function writePhotos(dir: string, label: number, count: number, onImage: () => void): void {
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
