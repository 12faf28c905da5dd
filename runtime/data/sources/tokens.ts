import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { positiveInteger } from "../checked.ts";
import { readableSize, readAt } from "../files.ts";
import { TOKEN_ARRAYS, type TokenArray, type TokenType } from "../readers/tokens.ts";
import { toShared } from "../shared.ts";
import { defineSource, location, recordOf, schemaOf, tokens as tokenUnit } from "./source_def.ts";
import {
  describeTokens,
  planTokens,
  sequenceFields,
  type TokenData,
  type TokenSeries,
  tokenType,
} from "./token_splits.ts";
import type { TokensOptions, TokensSpec } from "./types.ts";

const ids = z.union([z.instanceof(Uint8Array), z.instanceof(Uint16Array), z.instanceof(Int32Array)], {
  error: "expected a Uint8Array, a Uint16Array or an Int32Array of token ids",
}).meta({ script: "Uint8Array | Uint16Array | Int32Array" });

const tokensSchema = schemaOf("tokens", tokenUnit, {
  file: location("the path of a file of token ids, or null").nullable().default(null)
    .describe("binary file of token ids, little-endian and without a header, as nanoGPT's train.bin"),
  array: ids.nullable().default(null).describe("token ids in memory, instead of a file"),
  test: z.union([location("a path"), ids], { error: "expected the path of a file, or an array of token ids" })
    .nullable().default(null).describe("file or array of the test split"),
  dtype: z.enum(["u8", "u16", "i32"], { error: 'expected "u8", "u16" or "i32"' }).nullable().default(null)
    .describe("type of the ids in a file; null for an array"),
  vocabulary: positiveInteger.nullable().default(null)
    .describe("number of token ids; null: one more than the largest of an array, 256 for a file of u8"),
  ...sequenceFields,
});

export const tokensSource = defineSource({
  schema: tokensSchema,
  describe: (spec) => describeTokens(dataOf(spec), spec),
  plan: (spec, split) => planTokens(dataOf(spec), split, spec),
  noTest: () => "; give tokens({ test }), or a testFraction above 0",
  files: ({ file, test }) => [file, test],
});

/**
 * Loads sequences of token ids, from a binary file that is read by ranges, whatever its size, or from an array. An input
 * has `context` ids in i32, its target the ids one position later. Ids are checked when they are read.
 *
 * @throws {InputError} if an option is invalid; files are checked once the data set is used
 *
 * @example
 * ```ts
 * import { tokens } from "@tacho/tacho";
 *
 * // The files that nanoGPT's prepare.py writes
 * const data = tokens({ file: "train.bin", test: "val.bin", dtype: "u16", vocabulary: 50257, context: 256 });
 * ```
 *
 * @example
 * ```ts
 * import { tokens } from "@tacho/tacho";
 *
 * const data = tokens({ array: Uint8Array.from({ length: 1000 }, (_, i) => i * i % 7), context: 16 });
 * ```
 */
export function tokens(options: TokensOptions): TokensSpec {
  const spec = recordOf(tokensSchema, options);
  const share = <T>(value: T) => ArrayBuffer.isView(value) ? toShared(value as TokenArray & T) : value;
  return { ...spec, array: share(spec.array), test: share(spec.test) };
}

/** @throws {InputError} if options contradict each other, or a file is missing or has a wrong size */
function dataOf(spec: TokensSpec): TokenData {
  const { file, array, test } = spec;
  if ((file === null) === (array === null)) {
    throw new InputError(
      `data has ${file === null ? "no file and no array" : "a file and an array"}; give tokens({ file, dtype }), or ` +
        "tokens({ array })",
    );
  }
  const train = seriesOf(array ?? file!, spec, array === null ? "data.file" : "data.array");
  const other = test === null ? null : seriesOf(test, spec, "data.test");
  const vocabulary = vocabularyOf(spec, other === null ? [train] : [train, other]);
  return { train, test: other, vocabulary, loaded: true };
}

function seriesOf(from: string | TokenArray, { dtype }: TokensSpec, place: string): TokenSeries {
  if (typeof from !== "string") {
    return { place, path: null, ids: () => from, dtype: tokenType(from), length: () => from.length };
  }
  if (dtype === null) {
    throw new InputError(`data.dtype is null, but ${place} is a file; give tokens({ dtype: "u16" }), or "u8" or "i32"`);
  }
  const length = countIds(from, dtype);
  return { place: from, path: from, ids: () => null, dtype, length: () => length };
}

/** Returns the number of ids in a file. */
function countIds(path: string, dtype: TokenType): number {
  const size = readableSize(path, "a file of token ids");
  if (String.fromCharCode(...readAt(path, 0, 6)) === "\x93NUMPY") {
    throw new InputError(
      `${path} is a .npy file; tokens() reads ids without a header: write them with array.tofile(path) in NumPy`,
    );
  }
  const bytes = TOKEN_ARRAYS[dtype].BYTES_PER_ELEMENT;
  if (size % bytes === 0) return size / bytes;
  throw new InputError(
    `${path} has ${size} bytes, which is not a whole number of ${dtype} ids; expected a multiple of ${bytes}. It is ` +
      "truncated, or its dtype is another",
  );
}

function vocabularyOf({ vocabulary }: TokensSpec, all: readonly TokenSeries[]): number {
  if (vocabulary !== null) return vocabulary;
  return all.reduce((most, { ids, dtype, place }) => {
    const array = ids();
    if (array !== null) return Math.max(most, largest(array) + 1);
    if (dtype === "u8") return Math.max(most, 256);
    throw new InputError(
      `data.vocabulary is null, but ${place} is a file of ${dtype}; give tokens({ vocabulary }), such as 50257 for ` +
        "GPT-2's tokens",
    );
  }, 1);
}

function largest(ids: TokenArray): number {
  let most = 0;
  for (const id of ids) if (id > most) most = id;
  return most;
}
