import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { LARGEST } from "../../core/files.ts";
import { readFile } from "../files.ts";
import type { ImageDecoder } from "../images/decode.ts";
import { type Image, ImageError, withChannels } from "../images/image.ts";
import { sleep } from "../sleep.ts";
import type { StageClock } from "../stage_clock.ts";
import type { ReaderDef, ReaderPlan, Source } from "./reader.ts";

export interface ImageFilesPlan extends ReaderPlan {
  readonly kind: "imageFiles";
  readonly dir: string;
  /** File paths below `dir`, grouped by class, each terminated by a zero byte. */
  readonly names: Uint8Array;
  /** Offset of each name. */
  readonly offsets: Uint32Array;
  /** Index of the first file of each class. */
  readonly firsts: Uint32Array;
}

export const imageFilesReader: ReaderDef<ImageFilesPlan> = {
  where: imageFile,
  async open(plan, readDelay) {
    const { ImageDecoder } = await import("../images/decode.ts");
    return new ImageFilesSource(plan, await ImageDecoder.open(), readDelay);
  },
};

function imageFile({ dir, names, offsets }: ImageFilesPlan, index: number): string {
  const end = (offsets[index + 1] ?? names.length) - 1;
  // A copy, since TextDecoder does not accept shared memory
  return join(dir, new TextDecoder().decode(names.slice(offsets[index]!, end)));
}

/** Image files, each read and decoded on request. */
class ImageFilesSource implements Source {
  readonly stages = ["read", "decode"];
  readonly offset = 0;
  data: Uint8Array = new Uint8Array(0);
  height = 0;
  width = 0;
  step = 0;
  warning: string | null = null;
  readonly #plan: ImageFilesPlan;
  readonly #decoder: ImageDecoder;
  readonly #readDelay: number;

  constructor(plan: ImageFilesPlan, decoder: ImageDecoder, readDelay: number) {
    this.#plan = plan;
    this.#decoder = decoder;
    this.#readDelay = readDelay;
  }

  read(index: number, target: Int32Array | Float32Array, at: number, clock?: StageClock | null): void | Promise<void> {
    const path = imageFile(this.#plan, index);
    const bytes = readFile(path, LARGEST.image);
    if (this.#readDelay > 0) sleep(this.#readDelay);
    clock?.lap(0);
    target[at] = this.#classOf(index);
    const pending = this.#decoder.prepare();
    if (pending !== null) return pending.then(() => this.#decode(path, bytes));
    this.#decode(path, bytes);
  }

  close(): void {
    this.#decoder.close();
  }

  #decode(path: string, bytes: Uint8Array): void {
    const { channels, height, width } = this.#plan.sample!;
    let image: Image;
    try {
      const decoded = this.#decoder.decode(bytes);
      this.warning = decoded.warning === undefined ? null : `${path}: ${decoded.warning}`;
      image = withChannels(decoded, channels as 1 | 3);
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      throw new InputError(`${path}: ${error.message}`, { cause: error });
    }
    if (height !== null && width !== null && (image.height !== height || image.width !== width)) {
      throw new InputError(
        `${path} is ${image.width} x ${image.height}; expected ${width} x ${height}, as set by imageFolder({ size })`,
      );
    }
    this.data = image.data;
    this.height = image.height;
    this.width = image.width;
    this.step = image.step;
  }

  /** Returns the class of a file, by binary search. */
  #classOf(index: number): number {
    const { firsts } = this.#plan;
    let [low, high] = [0, firsts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (firsts[middle]! <= index) low = middle;
      else high = middle;
    }
    return low;
  }
}
