/**
 * The tokenizers of `text()`.
 *
 * @module
 */

import type { DataPackage } from "../data_package.ts";
import { bytePairs } from "./bpe.ts";
import { decoded, type TextInput } from "./text_input.ts";
import type { Tokenized, Tokenizer } from "./tokenizer.ts";
import { sharedIds, type TokenArray } from "../readers/tokens.ts";

/** Bytes as tokens: 256 ids. Ranges of a file are read when they are needed. */
const bytes: Tokenizer = {
  open(texts) {
    return {
      vocabulary: 256,
      dtype: "u8",
      loaded: () => true,
      length: (index) => texts[index]!.size,
      ids: (index) => texts[index]!.path === null ? texts[index]!.read(0, texts[index]!.size) : null,
    };
  },
};

/** Number of Unicode's code points. */
const CODE_POINTS = 0x110000;

/**
 * Characters as tokens: the code points that occur in any of the texts, in ascending order, as in nanoGPT's
 * `shakespeare_char`. Texts are read piece by piece; only the ids stay in memory, one byte each for up to 256 characters.
 */
const characters: Tokenizer = {
  open(texts) {
    const idOf = new Uint32Array(CODE_POINTS);
    const lengths = texts.map((text) => {
      let length = 0;
      forEachCodePoint(text, (point) => {
        idOf[point] = 1;
        length++;
      });
      return length;
    });
    let vocabulary = 0;
    for (let point = 0; point < CODE_POINTS; point++) if (idOf[point] === 1) idOf[point] = vocabulary++;
    const dtype = vocabulary <= 256 ? "u8" : vocabulary <= 65536 ? "u16" : "i32";
    const encoded = new Map<number, TokenArray>();
    return {
      vocabulary,
      dtype,
      loaded: () => true,
      length: (index) => lengths[index]!,
      ids(index) {
        let ids = encoded.get(index);
        if (ids === undefined) {
          ids = sharedIds(dtype, lengths[index]!);
          encoded.set(index, ids);
          let at = 0;
          forEachCodePoint(texts[index]!, (point) => ids![at++] = idOf[point]!);
        }
        return ids;
      },
    };
  },
};

/** Calls `use` with each code point of a text. */
function forEachCodePoint(text: TextInput, use: (point: number) => void): void {
  for (const piece of decoded(text)) {
    for (let i = 0; i < piece.length; i++) {
      const point = piece.codePointAt(i)!;
      if (point > 0xffff) i++;
      use(point);
    }
  }
}

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
