import type { Hash } from "node:crypto";
import { basename, join } from "node:path";
import { openFile } from "../core/files.ts";
import { newSha256 } from "../core/sha256.ts";
import { filesOf, packagesOf } from "../data/sources/sources.ts";
import type { VariantConfig } from "../result/config.ts";

/** Maximum bytes of a data set, or of a file of weights, that are hashed completely. */
const WHOLE = 256 * 2 ** 20;

/** Hashed parts of a larger file, and their size in bytes. */
const PARTS = 64;
const PART = 2 ** 20;

/** Maximum number of files of a folder whose content is hashed; the names of all are. */
const MAX_FILES = 1000;

/** Suffix of the hash of something that was not hashed completely. */
const PARTIAL = " of parts";

/** Limits of {@linkcode inputHashes}. */
export interface HashLimits {
  readonly whole: number;
  readonly part: number;
  readonly files: number;
}

/**
 * Returns hashes of the files that variants read, and versions of the packages that prepare the data, by purpose and name:
 * `data text.txt`, `model net.onnx`, `weights gpt2.safetensors`, `package gpt-tokenizer`. The names lack folders, so that runs on different
 * machines can be compared.
 *
 * Data above 256 MiB are hashed by their names, their sizes and evenly spaced parts. Files that cannot be read are left out.
 */
export async function inputHashes(
  configs: readonly VariantConfig[],
  limits: HashLimits = { whole: WHOLE, part: PART, files: MAX_FILES },
): Promise<Record<string, string>> {
  const paths = new Map<string, string>();
  const found = new Map<string, string>();
  const add = (purpose: string, path: string) => {
    if (!paths.has(path)) paths.set(path, `${purpose} ${basename(path) || path}`);
  };
  for (const { data, modelFiles = [], weights } of configs) {
    for (const path of filesOf(data)) add("data", path);
    for (const path of modelFiles) add("model", path);
    if (weights != null) add("weights", weights);
    for (const { name, version } of packagesOf(data)) found.set(`package ${name}`, version);
  }
  for (const [path, name] of paths) {
    const hash = await hashOf(path, limits).catch(() => null);
    if (hash === null) continue;
    // Files of the same name in several folders are numbered in the order of the variants
    let unique = name;
    for (let n = 2; found.has(unique); n++) unique = `${name} ${n}`;
    found.set(unique, hash);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => a < b ? -1 : 1));
}

async function hashOf(path: string, limits: HashLimits): Promise<string> {
  const files = await listFiles(path);
  const chosen = spaced(files, limits.files);
  const sizes = await Promise.all(chosen.map(async (name) => (await Deno.stat(join(path, name))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const whole = total <= limits.whole;
  const hash = newSha256();
  hash.update(JSON.stringify(files));
  const parts = Math.max(1, Math.floor(PARTS / chosen.length));
  for (const [i, name] of chosen.entries()) {
    await hashFile(hash, join(path, name), sizes[i]!, whole ? Infinity : parts, limits.part);
  }
  return hash.digest("hex") + (whole && chosen.length === files.length ? "" : PARTIAL);
}

/** Returns the sorted paths of all files below a folder, each folder once; for a file, an empty path. */
async function listFiles(path: string): Promise<string[]> {
  const seen = new Set<string>();
  const found: string[] = [];
  const left = [""];
  while (left.length > 0) {
    const below = left.pop()!;
    const at = join(path, below);
    const { isDirectory, isFile } = await Deno.stat(at);
    if (!isDirectory) {
      // No reader opens the pipes, sockets and devices of a folder
      if (isFile || below === "") found.push(below);
      continue;
    }
    // A link may lead back to a folder above it
    const real = await Deno.realPath(at);
    if (seen.has(real)) continue;
    seen.add(real);
    for await (const { name, isFile } of Deno.readDir(at)) (isFile ? found : left).push(join(below, name));
  }
  return found.sort();
}

/** Returns at most `most` values, evenly spaced, the first and the last among them. */
function spaced<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values;
  return Array.from({ length: most }, (_, i) => values[Math.floor(i * (values.length - 1) / (most - 1))]!);
}

/** Adds the size of a file and its content, or `parts` parts of it, to a hash. */
async function hashFile(hash: Hash, path: string, size: number, parts: number, part: number): Promise<void> {
  hash.update(`${size}\n`);
  using file = openFile(path);
  const starts = parts * part >= size
    ? Array.from({ length: Math.ceil(size / part) }, (_, i) => i * part)
    : Array.from({ length: parts }, (_, i) => Math.floor(i * (size - part) / Math.max(1, parts - 1)));
  const buffer = new Uint8Array(part);
  for (const start of starts) {
    await file.seek(start, Deno.SeekMode.Start);
    for (let filled = 0; filled < part;) {
      const read = await file.read(buffer.subarray(filled));
      if (read === null) {
        hash.update(buffer.subarray(0, filled));
        break;
      }
      filled += read;
      if (filled === part) hash.update(buffer);
    }
  }
}

/** Lists the files and folders that a variant reads: its data's, its model's, and its weights. */
export function inputFiles({ data, modelFiles = [], weights }: VariantConfig): string[] {
  return [...filesOf(data), ...modelFiles, ...weights == null ? [] : [weights]];
}
