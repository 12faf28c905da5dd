/**
 * The tokenizers of `text()`.
 *
 * @module
 */
import type { DataPackage } from "../data_package.ts";
import { bytePairs } from "./bpe.ts";
import { bytes } from "./bytes.ts";
import { characters } from "./characters.ts";
import type { TextInput } from "./text_input.ts";
import type { Tokenized, Tokenizer } from "./tokenizer.ts";

const TOKENIZERS = {
  characters,
  bytes,
  gpt2: bytePairs("r50k_base", 50257),
  cl100k_base: bytePairs("cl100k_base", 100277),
  o200k_base: bytePairs("o200k_base", 200019),
} as const satisfies Readonly<Record<string, Tokenizer>>;

export type TokenizerName = keyof typeof TOKENIZERS;

/** Names of the tokenizers. */
export const TOKENIZER_NAMES = Object.keys(TOKENIZERS) as [TokenizerName, ...TokenizerName[]];

/** Tokenized texts that are kept: both splits of a few data sets. */
const KEPT = 4;

const kept = new Map<string, Tokenized>();

/**
 * Loads what a tokenizer needs.
 *
 * @throws {InputError} if it cannot be loaded
 */
export async function loadTokenizer(name: TokenizerName): Promise<void> {
  await (TOKENIZERS[name] as Tokenizer).load?.();
}

/** Lists the packages of a tokenizer, whose name may be from another version. */
export function packagesOf(name: unknown): readonly DataPackage[] {
  const found = Object.entries(TOKENIZERS).find(([known]) => known === name)?.[1] as Tokenizer | undefined;
  return found?.packages ?? [];
}

/**
 * Tokenizes texts, once until one of them changes.
 *
 * @throws {InputError} if a text cannot be read or is not UTF-8
 */
export function tokenize(name: TokenizerName, texts: readonly TextInput[]): Tokenized {
  const key = [name, ...texts.map(({ stamp }) => stamp)].join("\n");
  let tokens = kept.get(key);
  if (tokens === undefined) {
    tokens = TOKENIZERS[name].open(texts);
    kept.set(key, tokens);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  }
  return tokens;
}
