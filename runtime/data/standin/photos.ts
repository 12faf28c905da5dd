/**
 * JPEG files of the size of photos, with the classes of the stand-in for CIFAR-10: what `imageFolder` loads without a folder.
 *
 * @module
 */
import { join } from "node:path";
import { encode } from "jpeg-js";
import { writeFile } from "../../core/files.ts";
import { RandomStream } from "../../core/random.ts";
import { streamKey } from "../keys.ts";
import { PHOTOS } from "./cache.ts";
import { drawImage } from "./draw.ts";
import { CLASS_NAMES } from "./patterns.ts";

const KEY = streamKey(PHOTOS.version, "data/standin/photos");

/** Quality of the files, as cameras and websites have it. */
const QUALITY = 85;

/** Draws the images of a class, and writes them to a folder of its name in `dir`. */
export function writePhotos(dir: string, label: number, count: number, onImage: () => void): void {
  const folder = join(dir, CLASS_NAMES[label]!.replaceAll(" ", "_"));
  Deno.mkdirSync(folder);
  const { height, width } = PHOTOS;
  const data = new Uint8Array(height * width * 4);
  for (let i = 0; i < count; i++) {
    drawImage(label, new RandomStream(KEY, label, i), height, width, data, 1, 4);
    const file = encode({ data, width, height }, QUALITY);
    writeFile(join(folder, `${String(i).padStart(3, "0")}.jpg`), file.data, { write: true, createNew: true });
    onImage();
  }
}
