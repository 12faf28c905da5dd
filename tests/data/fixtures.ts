import assert from "node:assert/strict";
import { join } from "node:path";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import type { Batch, Loader } from "../../runtime/data/loader/loader.ts";
import type { LoaderOptions } from "../../runtime/data/loader/options.ts";
import type { DataSpec } from "../../runtime/data/sources/sources.ts";
import { tempFolder } from "../support/temp_folder.ts";

/** Bytes of one CIFAR-10 record. */
export const RECORD = 3073;

/** Returns byte i of a record in a file made by `recordFile`. */
export function pixel(salt: number, record: number, i: number): number {
  return (record * 131 + i * 7 + salt * 53 + (i >> 5)) & 255;
}

/** Makes records with labels `(record + salt) % 10` and known pixels. */
export function recordFile(salt: number, records: number): Uint8Array {
  const bytes = new Uint8Array(records * RECORD);
  for (let r = 0; r < records; r++) {
    bytes[r * RECORD] = (r + salt) % 10;
    for (let i = 0; i < 3072; i++) bytes[r * RECORD + 1 + i] = pixel(salt, r, i);
  }
  return bytes;
}

/** Runs `body` with a temporary folder of the files. */
export async function withFolder<T>(
  files: Record<string, Uint8Array>,
  body: (dir: string) => T | Promise<T>,
): Promise<T> {
  using temporary = tempFolder("tacho-data-");
  const dir = temporary.path;
  for (const [name, bytes] of Object.entries(files)) Deno.writeFileSync(join(dir, name), bytes);
  return await body(dir);
}

/** CIFAR-10 folder of two training files with 13 and 11 records and a test file with 7. */
export function smallSet(): Record<string, Uint8Array> {
  return {
    "data_batch_1.bin": recordFile(1, 13),
    "data_batch_2.bin": recordFile(2, 11),
    "test_batch.bin": recordFile(9, 7),
  };
}

export const DEFAULTS: LoaderOptions = {
  batchSize: 5,
  numWorkers: 0,
  prefetch: 2,
  shuffle: true,
  dropLast: true,
  seed: 1,
  split: "train",
  layout: "nhwc",
};

/** Batch whose arrays outlive its release. */
export type Kept = Pick<Batch, "index" | "epoch" | "size" | "count"> & {
  readonly input: Float32Array;
  readonly target: Int32Array | Float32Array;
};

/** Loads the first `count` batches of a data set in order, with copies of their arrays. */
export async function batches(spec: DataSpec, options: Partial<LoaderOptions> = {}, count = 1): Promise<Kept[]> {
  await using loader = await createLoader(spec, { ...DEFAULTS, shuffle: false, ...options });
  return await take(loader, count);
}

/** Takes and releases `count` batches. */
export async function take(loader: Loader, count: number): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (let i = 0; i < count; i++) {
    const { index, epoch, size, count, tensors: { input, target }, release } = await loader.next();
    assert.ok(input instanceof Float32Array && (target instanceof Int32Array || target instanceof Float32Array));
    kept.push({ index, epoch, size, count, input: input.slice(), target: target.slice() });
    release();
  }
  return kept;
}

/** Waits until `condition` holds, for at most `ms` milliseconds: enough for threads to start on a busy machine. */
export async function until(condition: () => boolean, ms = 120_000): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return condition();
}
