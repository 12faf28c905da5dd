import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { InterruptedError } from "../../../runtime/core/errors.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { prepareDataset } from "../../../runtime/data/sources/sources.ts";
import { text } from "../../../runtime/data/sources/text.ts";
import { drawLine } from "../../../runtime/data/standin/grammar.ts";
import { drawText, prepareTextStandIn } from "../../../runtime/data/standin/text.ts";
import { tokenBatches } from "../token_batches.ts";
import { withCache } from "./with_cache.ts";
import { refuses, rejects } from "../../support/refuses.ts";

const LENGTH = 1_000_000;

Deno.test("the text is the same on every machine, and its lines are those of the grammar", () => {
  const drawn = drawText(100_000);
  assert.equal(
    createHash("sha256").update(drawn).digest("hex"),
    "2a454dc9becb398465870f3a8f13f4906426786f6c1c858893a5c97449fbb3cc",
    "a changed text needs a new TEXT_VERSION",
  );
  const lines = new TextDecoder().decode(drawn).split("\n").slice(0, -1);
  assert.ok(lines.length > 900);
  for (const line of lines) {
    assert.match(line, /^([bdfgklmnprstvz][aeiou]){2}: .*, says [a-z]{4}\.$/);
    assert.equal(line.slice(0, 4), line.slice(-5, -1), "the name at the end is that at the start");
    const open: string[] = [];
    for (const character of line) {
      if ("([{<".includes(character)) open.push(character);
      const closes = ")]}>".indexOf(character);
      if (closes >= 0) assert.equal(open.pop(), "([{<"[closes]);
    }
    assert.deepEqual(open, []);
  }
});

Deno.test("verbs agree with their subjects, before and after relative clauses", () => {
  const nouns = "dog|cat|bird|king|boat|river|teacher|farmer|doctor|tree|horse|singer|stone|cloud|garden|queen";
  const verbs = "see|hear|follow|like|find|call|help|paint|want|know|greet|leave";
  const innermost = /[([{<]that [a-z ]*[)\]}>]/g;
  let checked = 0;
  for (let i = 0; i < 500; i++) {
    let line = drawLine(i).text;
    for (const [clause] of line.matchAll(innermost)) {
      const of = clause.match(new RegExp(`(${nouns})(s?) (${verbs})(s?)[)\\]}>]`));
      if (of !== null) assert.notEqual(of[2], of[4], clause);
    }
    while (innermost.test(line)) line = line.replaceAll(innermost, "").replaceAll(/ +/g, " ");
    for (const [clause, , noun, , verb] of line.matchAll(new RegExp(`(${nouns})(s?) (${verbs})(s?) `, "g"))) {
      assert.notEqual(noun, verb, clause);
      checked++;
    }
  }
  assert.ok(checked > 600, `${checked}`);
});

Deno.test("bigrams leave four times the information that the text has", () => {
  const drawn = drawText();
  const pairs = new Float64Array(1 << 16);
  const firsts = new Float64Array(256);
  for (let i = 1; i < drawn.length; i++) {
    pairs[drawn[i - 1]! * 256 + drawn[i]!]!++;
    firsts[drawn[i - 1]!]!++;
  }
  let bigram = 0;
  pairs.forEach((count, pair) => count > 0 && (bigram -= count * Math.log(count / firsts[pair >> 8]!)));
  let [nats, characters] = [0, 0];
  for (let i = 0; characters < LENGTH; i++) {
    const line = drawLine(i);
    nats += line.nats;
    characters += line.text.length;
  }
  assert.equal((bigram / (LENGTH - 1)).toFixed(3), "1.968");
  assert.equal((nats / characters).toFixed(3), "0.483");
});

Deno.test("the text is drawn once, and described the same before", () =>
  withCache(async (cache) => {
    const spec = text({ context: 64 });
    const before = describeDataset(spec);
    assert.deepEqual([...Deno.readDirSync(join(cache, ".."))], []);
    assert.deepEqual([before.train.length, before.test!.length, before.classes], [14062, 1562, 38]);
    const seen: number[] = [];
    await prepareDataset(spec, { onProgress: (fraction) => seen.push(fraction) });
    assert.deepEqual(seen, [0, 1]);
    const path = await prepareTextStandIn({ onProgress: () => assert.fail("drawn again") });
    assert.equal(Deno.readFileSync(path).length, LENGTH);
    assert.deepEqual(describeDataset(spec), before);
    const [batch] = await tokenBatches(text({ context: 8, tokenizer: "bytes" }), { batchSize: 2 });
    assert.deepEqual(batch!.input, [...drawText(16)]);
    assert.deepEqual([...Deno.readDirSync(cache)].length, 1);

    Deno.truncateSync(path, 7);
    refuses(() => describeDataset(spec), /text stand-in is damaged: .* has 7 bytes.*Delete .* to draw it again/);
  }));

Deno.test("an interrupted drawing leaves no files, and a cache folder that cannot be written is named", () =>
  withCache(async (cache) => {
    await assert.rejects(prepareDataset(text({ context: 8 }), { signal: AbortSignal.abort() }), InterruptedError);
    Deno.writeTextFileSync(cache, "a file");
    await rejects(
      prepareDataset(text({ context: 8 })),
      /Cannot draw the text stand-in into .*free 1 MB.*TACHO_CACHE.*text\(\{ file \}\)/,
    );
  }));
