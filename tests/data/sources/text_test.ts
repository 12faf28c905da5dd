import assert from "node:assert/strict";
import { join } from "node:path";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { filesOf } from "../../../runtime/data/sources/sources.ts";
import { text } from "../../../runtime/data/sources/text.ts";
import { withFolder } from "../fixtures.ts";
import { tokenBatches } from "../token_batches.ts";
import { refuses } from "../../support/refuses.ts";

const utf8 = (value: string) => new TextEncoder().encode(value);

Deno.test("characters are numbered in the order of their code points, over both splits", () => {
  const files = { "a.txt": utf8("añ🦊\u{10ffff}é\nab"), "b.txt": utf8("zab") };
  return withFolder(files, async (dir) => {
    const [file, test] = [join(dir, "a.txt"), join(dir, "b.txt")];
    const spec = text({ file, test, context: 7 });
    refuses(() => describeDataset(spec), /b\.txt has 3 tokens; expected at least 8/);
    const shorter = { ...spec, context: 2 };
    const { train, test: tested, classes, unit } = describeDataset(shorter);
    // \n a b z é ñ 🦊 U+10FFFF
    assert.deepEqual([train.length, tested!.length, classes, unit], [3, 1, 8, "tokens"]);
    const [batch] = await tokenBatches(shorter, { batchSize: 3 });
    assert.deepEqual(batch, { input: [1, 5, 6, 7, 4, 0], target: [5, 6, 7, 4, 0, 1] });
    const [other] = await tokenBatches(shorter, { batchSize: 1, split: "test" });
    assert.deepEqual(other, { input: [3, 1], target: [1, 2] });
    assert.deepEqual(filesOf(spec), [file, test]);
  });
});

Deno.test("more than 256 characters, and pieces that end within a character, give the ids of a whole text", () => {
  // 3 bytes each: a boundary between pieces of 2^20 bytes falls within one
  const value = Array.from({ length: 400_000 }, (_, i) => String.fromCharCode(0x4e00 + (i * 7919) % 300)).join("");
  return withFolder({ "a.txt": utf8(value) }, async (dir) => {
    const spec = text({ file: join(dir, "a.txt"), context: 1000, testFraction: 0 });
    assert.deepEqual([describeDataset(spec).classes, describeDataset(spec).train.length], [300, 399]);
    const [batch] = await tokenBatches(spec, { batchSize: 399 });
    assert.deepEqual(batch!.target, Array.from(value.slice(1, 399_001), (c) => c.charCodeAt(0) - 0x4e00));
  });
});

Deno.test("bytes are read from the file, whatever they are, in 256 ids", () => {
  const content = Uint8Array.from({ length: 90 }, (_, i) => 255 - i);
  return withFolder({ "a.txt": content }, async (dir) => {
    const spec = text({ file: join(dir, "a.txt"), tokenizer: "bytes", context: 10, testFraction: 0.15 });
    assert.equal(describeDataset(spec).classes, 256);
    const [batch] = await tokenBatches(spec, { batchSize: 7, numWorkers: 1 });
    assert.deepEqual(batch, { input: [...content.slice(0, 70)], target: [...content.slice(1, 71)] });
  });
});

Deno.test("a byte order mark is no token, and no part of the bytes", async () => {
  const files = { "plain.txt": utf8("abcdefg\ufeffabc"), "marked.txt": utf8("\ufeffabcdefg\ufeffabc") };
  await withFolder(files, async (dir) => {
    for (const tokenizer of ["characters", "bytes"] as const) {
      const [plain, marked] = await Promise.all(
        Object.keys(files).map(async (name) => {
          const spec = text({ file: join(dir, name), tokenizer, context: 4, testFraction: 0 });
          const { classes, train } = describeDataset(spec);
          return [classes, train.length, await tokenBatches(spec, { batchSize: 2, numWorkers: 1 })];
        }),
      );
      assert.deepEqual(marked, plain);
    }
  });
});

Deno.test("a text that changes is read again", () =>
  withFolder({ "a.txt": utf8("abcabc") }, (dir) => {
    const spec = text({ file: join(dir, "a.txt"), context: 2, testFraction: 0 });
    assert.equal(describeDataset(spec).classes, 3);
    Deno.writeFileSync(join(dir, "a.txt"), utf8("abcdefg"));
    assert.equal(describeDataset(spec).classes, 7);
  }));

Deno.test("a text that is not UTF-8, is missing or is not a file is refused with the fix", () => {
  const files = {
    "latin1.txt": Uint8Array.of(...utf8("fine\nañ\n"), 0x61, 0xf1, 0x0a),
    "cut.txt": utf8("ab🦊").slice(0, -1),
  };
  return withFolder(files, (dir) => {
    const described = (name: string) => () => describeDataset(text({ file: join(dir, name), context: 2 }));
    refuses(described("latin1.txt"), /latin1\.txt is not UTF-8: line 3, from byte 9, .*convert it.*"bytes"/);
    refuses(described("cut.txt"), /cut\.txt is not UTF-8: line 1, from byte 0/);
    refuses(described("none.txt"), /Cannot read .*none\.txt/);
    refuses(described("."), /is not a file; expected a text file/);
  });
});

Deno.test("invalid options are refused", () => {
  refuses(() => text({ context: 0 }), /text\(\)\.context is 0; expected at least 1/);
  refuses(() => text({ context: 8, tokenizer: "words" as "bytes" }), /tokenizer is "words"; expected "characters"/);
});
