import { join } from "node:path";
import { crc32, gzipSync } from "node:zlib";
import { encode } from "fast-png";
import { cifar10, cifar100, imageFolder, mnist, npz, text, tokens } from "../../mod.ts";
import type { RandomStream } from "../../runtime/core/random.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import type { DataSpec } from "../../runtime/data/sources/sources.ts";
import * as t from "../../runtime/data/transforms/factories.ts";
import { DEFAULTS, smallSet } from "../data/fixtures.ts";
import { npy, zip } from "../data/npz_files.ts";
import { chance, damaged, pick } from "./draws.ts";
import { special } from "./special.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";

type Files = Record<string, Uint8Array>;

interface Kind {
  readonly files: Files;
  /** Data sets over the files in a folder. */
  readonly spec: (dir: string) => DataSpec;
  /** Changes a header so that the file looks right to a careless reader. */
  readonly forge: (random: RandomStream, bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
  /** Order of a batch; `nhwc` by default. */
  readonly layout?: "row";
}

const FIXTURES = join(import.meta.dirname!, "../fixtures/images");

/** Sizes that a header may claim. */
const SIZES = [0, 1, 3, 255, 32768, 65535, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

function idx(shape: readonly number[]): Uint8Array {
  const length = shape.reduce((product, size) => product * size, 1);
  const bytes = new Uint8Array(4 + 4 * shape.length + length);
  bytes.set([0, 0, 8, shape.length]);
  shape.forEach((size, i) => new DataView(bytes.buffer).setUint32(4 + 4 * i, size));
  for (let i = 0; i < length; i++) bytes[bytes.length - length + i] = i % 10;
  return bytes;
}

function forgeIdx(random: RandomStream, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = pick(random, [4, 8, 12]);
  if (bytes.length >= at + 4) new DataView(bytes.buffer).setUint32(at, pick(random, SIZES));
  return bytes;
}

/** Changes a size in the text of the header, which keeps its length. */
function forgeNpy(random: RandomStream, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  if (chance(random, 0.3)) {
    const same = pick(random, [(s: string) => s.replaceAll("'", '"'), (s: string) => s.replace(", }\n", "L,}\n")]);
    return Uint8Array.from(same(text), (character) => character.charCodeAt(0));
  }
  const to = pick(random, ["(99999999,", "(0,", "(-1,", "(6, 6,", "(", "(1e9,", "4294967296,"]);
  const forged = text.replace(/\(\d+,/, to).replace(
    /'\|u1'|'<i8'/,
    (type) => pick(random, [type, type, "'<f8'", "'O'", "'>c16'"]),
  );
  return Uint8Array.from(forged, (character) => character.charCodeAt(0));
}

/** Claims another width or height in a PNG, with the right checksum, or in a JPEG, which may also break a lesser rule. */
function forgeImage(random: RandomStream, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer);
  if (bytes[0] === 0x89 && bytes.length > 33) {
    view.setUint32(pick(random, [16, 20]), pick(random, SIZES));
    if (chance(random, 0.3)) bytes[pick(random, [24, 25, 26, 27, 28])] = random.below(20);
    view.setUint32(29, crc32(bytes.subarray(12, 29)));
    return bytes;
  }
  if (chance(random, 0.5)) {
    const at = random.below(bytes.length);
    const marker = bytes.indexOf(0xff, at);
    if (marker >= 0 && chance(random, 0.5)) {
      const stray = Array.from({ length: 1 + random.below(5) }, () => random.below(256));
      return Uint8Array.of(...bytes.subarray(0, marker), ...stray, ...bytes.subarray(marker));
    }
    const version = bytes.indexOf(0x4a) + 5;
    const scan = bytes.lastIndexOf(0xda, at) + 6;
    bytes[pick(random, [version, scan, scan + 2])] = random.below(256);
    return bytes;
  }
  for (let at = 2; at + 9 < bytes.length; at++) {
    if (bytes[at] === 0xff && (bytes[at + 1] === 0xc0 || bytes[at + 1] === 0xc2)) {
      view.setUint16(at + pick(random, [5, 7]), pick(random, SIZES) & 0xffff);
      break;
    }
  }
  return bytes;
}

/** Sequences that a careless decoder accepts, or counts differently: a lone surrogate, overlong and cut characters. */
const UTF8 = [
  [0xed, 0xa0, 0x80],
  [0xc0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xef, 0xbb, 0xbf],
  [0xf0, 0x9f, 0xa6],
  [0],
  [],
];

/** Puts a sequence into the text, at any place. */
function forgeText(random: RandomStream, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = random.below(bytes.length + 1);
  const kept = chance(random, 0.3) ? bytes.subarray(0, at) : bytes;
  return Uint8Array.from([...kept.subarray(0, at), ...pick(random, UTF8), ...kept.subarray(at)]);
}

/** Changes an id, or the number of bytes. */
function forgeIds(random: RandomStream, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (chance(random, 0.4)) return bytes.slice(0, random.below(bytes.length + 1));
  new DataView(bytes.buffer).setUint32(4 * random.below(bytes.length >> 2), pick(random, SIZES), true);
  return bytes;
}

function png(size: number): Uint8Array {
  const data = Uint8Array.from({ length: 3 * size * size }, (_, i) => i * 5);
  return encode({ width: size, height: size, channels: 3, data });
}

const X = npy("|u1", [6, 2, 2], Uint8Array.from({ length: 24 }, (_, i) => i));
const Y = npy("<i8", [6], BigInt64Array.from([0n, 1n, 2n, 0n, 1n, 2n]));
const IDX: Files = { "train-images-idx3-ubyte": idx([12, 5, 4]), "train-labels-idx1-ubyte": idx([12]) };
const cifarRecord = new Uint8Array(3074 * 8);

const TEXT: Files = { "a.txt": new TextEncoder().encode("Wörter, 日本 und 🦊.\n".repeat(20)) };
const IDS: Files = { "a.bin": new Uint8Array(Int32Array.from({ length: 90 }, (_, i) => i % 9).buffer) };

const KINDS: Readonly<Record<string, Kind>> = {
  idx: { files: IDX, spec: (dir) => mnist({ dir }), forge: forgeIdx },
  "gzipped idx": {
    files: Object.fromEntries(Object.entries(IDX).map(([name, bytes]) => [`${name}.gz`, gzipSync(bytes)])),
    spec: (dir) => mnist({ dir }),
    forge: damaged,
  },
  cifar10: { files: smallSet(), spec: (dir) => cifar10({ dir }), forge: damaged },
  cifar100: {
    files: { "train.bin": cifarRecord, "test.bin": cifarRecord },
    spec: (dir) => cifar100({ dir }),
    forge: damaged,
  },
  npy: {
    files: { "x.npy": X, "y.npy": Y },
    spec: (dir) => npz({ train: { input: join(dir, "x.npy"), target: join(dir, "y.npy") } }),
    forge: forgeNpy,
  },
  npz: {
    files: { "all.npz": zip({ "x.npy": { bytes: X }, "y.npy": { bytes: Y, method: 0 } }) },
    spec: (dir) => npz({ file: join(dir, "all.npz"), train: { input: "x", target: "y" } }),
    forge: forgeNpy,
  },
  images: {
    files: {
      "a/1.png": png(7),
      "a/2.png": Deno.readFileSync(join(FIXTURES, "palette.png")),
      "b/1.jpg": Deno.readFileSync(join(FIXTURES, "progressive.jpg")),
      "b/2.jpg": Deno.readFileSync(join(FIXTURES, "grey.jpg")),
    },
    spec: (dir) => imageFolder({ dir, transforms: [t.resize([4, 4])] }),
    forge: forgeImage,
  },
  text: { files: TEXT, spec: (dir) => text({ file: join(dir, "a.txt"), context: 5 }), forge: forgeText, layout: "row" },
  bytes: {
    files: TEXT,
    spec: (dir) => text({ file: join(dir, "a.txt"), tokenizer: "bytes", context: 5 }),
    forge: forgeText,
    layout: "row",
  },
  tokens: {
    files: IDS,
    spec: (dir) => tokens({ file: join(dir, "a.bin"), dtype: "i32", vocabulary: 9, context: 3 }),
    forge: forgeIds,
    layout: "row",
  },
};

/** Data sets of every file format with one damaged, forged, missing or special file. */
export const dataSets: Fuzzer = {
  name: "data sets",
  few: 120,
  begin: (folder) => async (random) => {
    const name = pick(random, Object.keys(KINDS));
    const { files, spec, forge, layout = DEFAULTS.layout } = KINDS[name]!;
    const dir = Deno.makeTempDirSync({ dir: folder });
    try {
      for (const [path, bytes] of Object.entries(files)) {
        Deno.mkdirSync(join(dir, path, ".."), { recursive: true });
        Deno.writeFileSync(join(dir, path), bytes);
      }
      const victim = pick(random, Object.keys(files));
      const path = join(dir, victim);
      const way = harm(random, path, () => forge(random, Uint8Array.from(files[victim]!)), Object.values(files));
      const numWorkers = chance(random, 0.02) ? 1 : 0;
      const onError = pick(random, ["fail", "skip"] as const);
      await survives(`${name}: ${victim} ${way}`, async () => {
        const options = { ...DEFAULTS, batchSize: 4, numWorkers, onError, layout };
        await using loader = await createLoader(spec(dir), options);
        for (let i = 0; i < 3; i++) (await loader.next()).release();
      });
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  },
};

/** Harms a file and returns how. */
function harm(random: RandomStream, path: string, forged: () => Uint8Array, others: readonly Uint8Array[]): string {
  const draw = random.uniform();
  if (draw < 0.5) {
    Deno.writeFileSync(path, damaged(random, Deno.readFileSync(path)));
    return "damaged";
  }
  if (draw < 0.8) {
    Deno.writeFileSync(path, forged());
    return "forged";
  }
  if (draw < 0.88) {
    Deno.writeFileSync(path, pick(random, others));
    return "exchanged";
  }
  Deno.removeSync(path);
  if (draw < 0.91) return "removed";
  if (draw < 0.97 && Deno.build.os !== "windows") return special(random, path);
  const target = pick(random, [path, "/dev/zero", "/nowhere", "/dev/null"]);
  Deno.symlinkSync(target, path);
  return `a link to ${target === path ? "itself" : target}`;
}
