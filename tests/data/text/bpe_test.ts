import assert from "node:assert/strict";
import { join } from "node:path";
import { RandomStream } from "../../../runtime/core/random.ts";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { loadDatasets } from "../../../runtime/data/sources/sources.ts";
import { text } from "../../../runtime/data/sources/text.ts";
import { modelData } from "../../../runtime/scenario/model_data.ts";
import { encodeCl100k, encodeGpt2, encodeO200k } from "../../packages/gpt_tokenizer.ts";
import { withFolder } from "../fixtures.ts";
import { tokenBatches } from "../token_batches.ts";
import { refuses } from "../../support/refuses.ts";

const utf8 = (value: string) => new TextEncoder().encode(value);

/** Words, white space, punctuation and newlines in random order: 200,000 characters, so that it is encoded in pieces. */
function scramble(): string {
  const random = new RandomStream(5);
  const parts = [
    "the ",
    "Größe",
    "naïve's",
    " 1234",
    "\n",
    "\n",
    "\n\n",
    " \n",
    "!\n",
    "?\n/",
    "\t",
    "    ",
    "日本",
    "🦊",
    "<|endoftext|>",
  ];
  let made = "";
  while (made.length < 200_000) made += parts[random.below(parts.length)]!;
  return made;
}

// Before any other test has loaded the encoding
Deno.test("a model knows the vocabulary and the context before the text is encoded", () =>
  withFolder({ "a.txt": utf8("a b c d e f g h i j k l m n o p") }, async (dir) => {
    const spec = text({ file: join(dir, "a.txt"), tokenizer: "gpt2", context: 6 });
    const data = modelData(spec);
    assert.deepEqual([data.classes, data.input.shape], [50257, [6]]);
    await loadDatasets([spec]);
    refuses(() => describeDataset(spec), /a\.txt has 2 tokens in the 10 % at its end/);
  }));

Deno.test("byte pairs are those of the package for the whole text, in each encoding", () => {
  const value = scramble();
  return withFolder({ "a.txt": utf8(value) }, async (dir) => {
    const options = { file: join(dir, "a.txt"), testFraction: 0, context: 100 };
    const plain = { disallowedSpecial: new Set<string>() };
    const encodings = [
      ["gpt2", encodeGpt2(value, plain), 50257],
      ["cl100k_base", encodeCl100k(value, plain), 100277],
      ["o200k_base", encodeO200k(value, plain), 200019],
    ] as const;
    for (const [tokenizer, expected, vocabulary] of encodings) {
      const spec = text({ ...options, tokenizer });
      const count = Math.floor((expected.length - 1) / 100);
      const [batch] = await tokenBatches(spec, { batchSize: count });
      assert.deepEqual(batch, {
        input: expected.slice(0, count * 100),
        target: expected.slice(1, count * 100 + 1),
      });
      const { train, classes } = describeDataset(spec);
      assert.deepEqual([train.length, classes], [count, vocabulary]);
    }
  });
});

Deno.test("the ids of GPT-2 are those that its authors' encoder gives", () =>
  withFolder({ "a.txt": utf8("Hello world, this is GPT-2's <|endoftext|> encoding.") }, async (dir) => {
    const spec = text({ file: join(dir, "a.txt"), tokenizer: "gpt2", context: 6, testFraction: 0 });
    const [batch] = await tokenBatches(spec, { batchSize: 1 });
    assert.deepEqual(batch!.input, [15496, 995, 11, 428, 318, 402]);
  }));
