/**
 * Sequences of tokens as samples: options that sources of tokens share, and their splits.
 *
 * @module
 */
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { positiveInteger } from "../checked.ts";
import { TOKEN_ARRAYS, type TokenArray, type TokenType } from "../readers/tokens.ts";
import type { SourceDescription, Split, SplitPlan } from "./source_def.ts";

/** Fields of the record of every source of tokens. */
export const sequenceFields = {
  context: positiveInteger.describe("tokens of an input; its targets are the tokens one position later"),
  stride: positiveInteger.nullable().default(null)
    .describe("tokens from the start of one input to the next; null: context, so that inputs do not overlap"),
  testFraction: z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" })
    .lt(1, { error: "expected less than 1" }).default(0.1)
    .describe("part of the tokens, at the end, that is the test split, unless test names one; 0 for none"),
};

interface SequenceOptions {
  readonly context: number;
  readonly stride: number | null;
  readonly testFraction: number;
}

/** Series of token ids, in memory or in a file. */
export interface TokenSeries {
  /** Name in messages: a path or an option. */
  readonly place: string;
  readonly path: string | null;
  /** Returns the ids in memory; null if they are read from the file. */
  readonly ids: () => TokenArray | null;
  readonly dtype: TokenType;
  /** Returns the number of tokens. */
  readonly length: () => number;
}

/** Tokens of both splits. */
export interface TokenData {
  readonly train: TokenSeries;
  /** Tokens of the test split; null takes them from the end of `train`. */
  readonly test: TokenSeries | null;
  readonly vocabulary: number;
  /** Tokens can be counted. If not, only the vocabulary is known. */
  readonly loaded: boolean;
}

/** Part of a series. */
interface TokenRange {
  readonly series: TokenSeries;
  readonly begin: number;
  readonly end: number;
}

/**
 * Describes the sequences of both splits.
 *
 * @throws {InputError} if a split is too short for one sequence
 */
export function describeTokens(data: TokenData, options: SequenceOptions): SourceDescription {
  const field = { shape: [options.context], dtype: "i32" } as const;
  let ranges = data.loaded ? rangesOf(data, options) : null;
  const split = (name: Split) => ({
    get length() {
      return sequences((ranges ??= rangesOf(data, options))[name]!, options);
    },
  });
  return {
    train: split("train"),
    test: data.test === null && options.testFraction === 0 ? null : split("test"),
    fields: { input: field, target: field },
    classes: data.vocabulary,
  };
}

/** Plans the sequences of a split; null if there is no such split. */
export function planTokens(data: TokenData, split: Split, options: SequenceOptions): SplitPlan | null {
  const range = rangesOf(data, options)[split];
  if (range === null) return null;
  const { series: { path, ids, dtype }, begin } = range;
  const { context, stride } = options;
  return {
    kind: "tokens",
    length: sequences(range, options),
    path,
    ids: ids(),
    dtype,
    begin,
    stride: stride ?? context,
  };
}

/** Returns the type of an array of ids. */
export function tokenType(ids: TokenArray): TokenType {
  return (Object.keys(TOKEN_ARRAYS) as TokenType[]).find((dtype) => ids instanceof TOKEN_ARRAYS[dtype])!;
}

/** @throws {InputError} if a split is too short for one sequence */
function rangesOf(data: TokenData, options: SequenceOptions): { train: TokenRange; test: TokenRange | null } {
  const { train: series, test } = data;
  const { testFraction } = options;
  const length = series.length();
  const split = test === null && testFraction > 0 ? Math.floor(length * (1 - testFraction)) : length;
  const train = { series, begin: 0, end: split };
  checkLength(train, options, split === length ? "" : `, without the ${percent(testFraction)} % at its end`);
  if (test !== null) {
    const range = { series: test, begin: 0, end: test.length() };
    checkLength(range, options, "");
    return { train, test: range };
  }
  if (testFraction === 0) return { train, test: null };
  const range = { series, begin: split, end: length };
  checkLength(range, options, ` in the ${percent(testFraction)} % at its end (testFraction)`);
  return { train, test: range };
}

function checkLength({ series: { place }, begin, end }: TokenRange, { context }: SequenceOptions, where: string): void {
  if (end - begin > context) return;
  throw new InputError(
    `${place} has ${end - begin} ${end - begin === 1 ? "token" : "tokens"}${where}; expected at least ${
      context + 1
    }, for one input of ${context} tokens ` +
      `and its targets. Lower context${where === "" ? "" : " or testFraction"}, or give more data`,
  );
}

/** Returns the number of sequences that fit into a range, each with the token after it. */
function sequences({ begin, end }: TokenRange, { context, stride }: SequenceOptions): number {
  return Math.floor((end - begin - context - 1) / (stride ?? context)) + 1;
}

function percent(fraction: number): string {
  return String(Number((100 * fraction).toPrecision(3)));
}
