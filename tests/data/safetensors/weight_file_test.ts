/** Reading of safetensors files: types, indexes, and damage. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { InputError } from "../../../mod.ts";
import { RandomStream } from "../../../runtime/core/random.ts";
import { WeightFile } from "../../../runtime/data/safetensors/weight_file.ts";
import { writeSafetensors } from "../../../runtime/data/safetensors/write.ts";
import { refuses } from "../../support/refuses.ts";

const folder = Deno.makeTempDirSync({ prefix: "tacho-weights-" });
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

type Entry = readonly [dtype: string, shape: unknown, offsets: unknown];

/** Returns the bytes of a file with this header, a record or text, and these values. */
function fileOf(header: Readonly<Record<string, Entry>> | string, data: Uint8Array | number): Uint8Array {
  const text = typeof header === "string" ? header : JSON.stringify(
    Object.fromEntries(
      Object.entries(header).map(([name, [dtype, shape, offsets]]) => [name, { dtype, shape, data_offsets: offsets }]),
    ),
  );
  const json = new TextEncoder().encode(text);
  const values = typeof data === "number" ? new Uint8Array(data) : data;
  const bytes = new Uint8Array(8 + json.length + values.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(values, 8 + json.length);
  return bytes;
}

function write(name: string, bytes: Uint8Array | string): string {
  const file = join(folder, name);
  if (typeof bytes === "string") Deno.writeTextFileSync(file, bytes);
  else Deno.writeFileSync(file, bytes);
  return file;
}

function refusesFile(file: string, message: RegExp): void {
  refuses(() => WeightFile.open(file), message);
  assert.throws(() => WeightFile.open(file), (error: Error) => error.message.includes(file));
}

Deno.test("f32, f16 and bf16 are read as f32, exactly", () => {
  const f32 = Float32Array.of(1, -2.5, 1e-40, Infinity);
  const f16 = Float16Array.of(1, -2.5, 6e-8, 65504);
  const bf16 = Uint16Array.of(0x3f80, 0xc020, 0x7f80, 0x0001); // 1, -2.5, infinity, 2^-133
  const data = new Uint8Array(32);
  data.set(new Uint8Array(bf16.buffer), 0);
  data.set(new Uint8Array(f32.buffer), 8);
  data.set(new Uint8Array(f16.buffer), 24);
  const file = write(
    "types.safetensors",
    fileOf({ c: ["F16", [4], [24, 32]], a: ["F32", [2, 2], [8, 24]], b: ["BF16", [4, 1], [0, 8]] }, data),
  );
  using weights = WeightFile.open(file);
  assert.deepEqual([...weights.tensors.keys()].sort(), ["a", "b", "c"]);
  assert.deepEqual(weights.read("a"), f32);
  assert.deepEqual(weights.read("b"), Float32Array.of(1, -2.5, Infinity, 2 ** -133));
  assert.deepEqual(weights.read("c"), Float32Array.from(f16));
});

Deno.test("tensors longer than what is read at once are read whole", async () => {
  const n = (1 << 22) + 3;
  const halves = Float16Array.from({ length: n }, (_, i) => i % 2000);
  const file = write("long.safetensors", fileOf({ a: ["F16", [n], [0, 2 * n]] }, new Uint8Array(halves.buffer)));
  using weights = WeightFile.open(file);
  const values = weights.read("a");
  assert.equal(values.length, n);
  for (const i of [0, 1, (1 << 21) - 1, 1 << 21, n - 1]) assert.equal(values[i], i % 2000);
  await writeSafetensors(join(folder, "sub", "again.safetensors"), new Map([["a", { shape: [n], data: values }]]));
  using again = WeightFile.open(join(folder, "sub", "again.safetensors"));
  assert.deepEqual(again.read("a"), values);
  assert.equal([...Deno.readDirSync(join(folder, "sub"))].length, 1);
});

Deno.test("an index reads tensors from several files, which lie beside it", () => {
  const one = Float32Array.of(1, 2);
  write("part-1.safetensors", fileOf({ a: ["F32", [2], [0, 8]] }, new Uint8Array(one.buffer)));
  write("part-2.safetensors", fileOf({ b: ["F32", [1, 2], [0, 8]] }, new Uint8Array(one.buffer)));
  const index = (map: Record<string, string>, name: string) => write(name, JSON.stringify({ weight_map: map }));
  const whole = index({ a: "part-1.safetensors", b: "part-2.safetensors" }, "model.safetensors.index.json");
  using weights = WeightFile.open(whole);
  assert.deepEqual([...weights.tensors].map(([name, { shape }]) => [name, shape]), [["a", [2]], ["b", [1, 2]]]);
  assert.deepEqual(weights.read("b"), one);
  refusesFile(index({ c: "part-1.safetensors" }, "missing.json"), /"c" is not in part-1\.safetensors$/);
  refusesFile(
    index({ a: "../x.safetensors" }, "outside.json"),
    /"\.\.\/x\.safetensors" is not a safetensors file in its folder$/,
  );
  refusesFile(write("list.json", "[1]"), /expected an index of safetensors files with a "weight_map"$/);
  assert.throws(() => WeightFile.open(index({ a: "no.safetensors" }, "no.json")), /no\.safetensors do not exist/);
});

const DAMAGED: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ["is empty", new Uint8Array(0), /it has 0 bytes; expected at least 8$/],
  [
    "has a huge header",
    fileOf("", 0).fill(255),
    /its header has 18446744073709551615 bytes; expected at most 100000000$/,
  ],
  [
    "ends in its header",
    fileOf({ a: ["F32", [1], [0, 4]] }, 0).subarray(0, 20),
    /truncated: its header has \d+ bytes, but o/,
  ],
  ["is no JSON", fileOf("{", 0), /its header is not JSON$/],
  ["is no UTF-8", fileOf({}, 0).with(8, 255), /its header is not UTF-8$/],
  ["is a list", fileOf("[]", 0), /its header is not a record of tensors$/],
  [
    "names a tensor twice",
    fileOf(
      '{"a\\u0062":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"ab":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
      4,
    ),
    /it names "ab" twice$/,
  ],
  ["has an unknown type", fileOf({ a: ["F33", [1], [0, 4]] }, 4), /"a" has the type "F33"; expected one of BOOL, /],
  [
    "has a negative size",
    fileOf({ a: ["F32", [-1], [0, 4]] }, 4),
    /"a" has the shape \[-1\]; expected a list of whole/,
  ],
  [
    "has a huge shape",
    fileOf({ a: ["F32", [2 ** 40, 2 ** 40], [0, 4]] }, 4),
    /"a" has the shape \[1099511627776,1099511627776\]/,
  ],
  [
    "has three offsets",
    fileOf({ a: ["F32", [1], [0, 4, 8]] }, 4),
    /"a" has the data_offsets \[0,4,8\]; expected the first/,
  ],
  ["has reversed offsets", fileOf({ a: ["F32", [1], [4, 0]] }, 4), /"a" has the data_offsets \[4,0\]/],
  [
    "has a tensor of another size",
    fileOf({ a: ["F32", [3], [0, 4]] }, 4),
    /"a" takes 4 bytes; expected 12 for F32 \[3\]$/,
  ],
  [
    "has tensors that overlap",
    fileOf({ a: ["F32", [2], [0, 8]], b: ["F32", [1], [4, 8]] }, 8),
    /tensors overlap: "b" begins at byte 4, but "a" ends at byte 8$/,
  ],
  [
    "has a gap",
    fileOf({ a: ["F32", [1], [0, 4]], b: ["F32", [1], [8, 12]] }, 12),
    /values are missing: "b" begins at byte 8, but "a" ends at byte 4$/,
  ],
  [
    "is truncated",
    fileOf({ a: ["F32", [2], [0, 8]] }, 7),
    /it is truncated: its tensors take 8 bytes, but only 7 follow/,
  ],
  [
    "is a checkpoint of PyTorch",
    new TextEncoder().encode("PK\x03\x04 archive/data.pkl"),
    /it is a zip archive, such as a c/,
  ],
  [
    "is a pickle",
    Uint8Array.of(0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9),
    /it is a pickle, such as an old checkp/,
  ],
  [
    "is a pointer",
    new TextEncoder().encode("version https://git-lfs.github.com/spec/v1\n"),
    /it is a pointer of Git LFS; f/,
  ],
  [
    "is a web page",
    new TextEncoder().encode("<!doctype html><html>Not found</html>"),
    /it is a web page; download the f/,
  ],
  [
    "has bytes after its tensors",
    fileOf({ a: ["F32", [2], [0, 8]] }, 9),
    /1 bytes follow the last tensor; expected none$/,
  ],
];

for (const [name, bytes, message] of DAMAGED) {
  Deno.test(`a file that ${name} is refused`, () => refusesFile(write("damaged.safetensors", bytes), message));
}

Deno.test("a pipe is refused, before it is opened, as weights, as an index and in an index", () => {
  for (const name of ["pipe.safetensors", "pipe.json"]) {
    const path = join(folder, name);
    assert.ok(new Deno.Command("mkfifo", { args: [path] }).outputSync().success);
    refusesFile(path, /is not a file$/);
  }
  const index = write("pipes.json", JSON.stringify({ weight_map: { a: "pipe.safetensors" } }));
  assert.throws(() => WeightFile.open(index), /pipe\.safetensors is not a file$/);
});

Deno.test("a missing file, and a folder, are refused", () => {
  assert.throws(
    () => WeightFile.open(join(folder, "none.safetensors")),
    /none\.safetensors do not exist; expected a safe/,
  );
  assert.throws(() => WeightFile.open(folder), InputError);
});

Deno.test("files with random damage are read or refused, never more", () => {
  const random = new RandomStream(17);
  const whole = fileOf(
    { __metadata__: "x" as never, a: ["F32", [2, 3], [0, 24]], b: ["BF16", [5], [24, 34]] },
    Uint8Array.from({ length: 34 }, (_, i) => i * 37),
  );
  let refused = 0;
  for (let trial = 0; trial < 1500; trial++) {
    const bytes = Uint8Array.from(whole);
    const damage = 1 + Math.floor(random.uniform() * 4);
    for (let i = 0; i < damage; i++) {
      bytes[Math.floor(random.uniform() * bytes.length)] = Math.floor(random.uniform() * 256);
    }
    const length = random.uniform() < 0.3 ? Math.floor(random.uniform() * bytes.length) : bytes.length;
    const file = write("fuzzed.safetensors", bytes.subarray(0, length));
    try {
      using weights = WeightFile.open(file);
      for (const [name, { dtype }] of weights.tensors) if (/^B?F(16|32)$/.test(dtype)) weights.read(name);
    } catch (error) {
      assert.ok(error instanceof InputError, `trial ${trial}: ${(error as Error).stack}`);
      refused++;
    }
  }
  assert.ok(refused > 500 && refused < 1500, `${refused} refused`);
});
