import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import type { DataPackage } from "../data_package.ts";
import { sharedIds, type TokenArray } from "../readers/tokens.ts";
import { decoded, type TextInput } from "./text_input.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Package with the vocabularies, which is downloaded when it is first used. */
const PACKAGE: DataPackage = { name: "gpt-tokenizer", version: "4.0.0" };

/** Characters that are encoded at once, up to the next line. */
const PIECE = 1 << 16;

type Encode = (text: string, options: { disallowedSpecial: Set<string> }) => number[];

/**
 * Byte-pair encoding of OpenAI's models (R. Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units",
 * 2016; A. Radford et al., 2019). Names of special tokens are encoded like any other text.
 *
 * @param encoding name of the encoding in tiktoken
 * @param vocabulary number of ids, special tokens included
 */
export function bytePairs(encoding: string, vocabulary: number): Tokenizer {
  let encode: Encode | null = null;
  return {
    packages: [PACKAGE],
    async load() {
      encode ??= await importEncode(encoding);
    },
    open(texts) {
      const dtype = vocabulary <= 65536 ? "u16" : "i32";
      const encoded = new Map<number, TokenArray>();
      const ids = (index: number): TokenArray => {
        if (encode === null) throw new Error(`The encoding ${encoding} is used before it is loaded`);
        let found = encoded.get(index);
        if (found === undefined) {
          const parts = [...pieces(texts[index]!)].map((piece) => encode!(piece, { disallowedSpecial: new Set() }));
          found = sharedIds(dtype, parts.reduce((sum, { length }) => sum + length, 0));
          let at = 0;
          for (const part of parts) {
            found.set(part, at);
            at += part.length;
          }
          encoded.set(index, found);
        }
        return found;
      };
      return { vocabulary, dtype, loaded: () => encode !== null, length: (index) => ids(index).length, ids };
    },
  };
}

/** Imports by a name that Deno does not find before the run, so that only texts that need the package download it. */
async function importEncode(encoding: string): Promise<Encode> {
  const module = [`npm:${PACKAGE.name}@${PACKAGE.version}`, "encoding", encoding].join("/");
  try {
    return (await import(module) as { encode: Encode }).encode;
  } catch (error) {
    throw new InputError(
      `The tokenizer needs the package ${PACKAGE.name}@${PACKAGE.version}, which cannot be loaded: ${
        reasonOf(error).split("\n")[0]
      }. ` +
        `Download it with: deno cache ${module}`,
      { cause: error },
    );
  }
}

/**
 * Splits a text where the tokens of the pieces are those of the whole: at a newline after a character other than white
 * space and before a letter or a digit, where all encodings begin a token.
 */
function* pieces(text: TextInput): Generator<string> {
  let rest = "";
  for (const more of decoded(text)) {
    rest += more;
    while (rest.length > PIECE) {
      const end = rest.slice(PIECE).search(/\S\n(?=[\p{L}\p{N}])/u);
      if (end < 0) break;
      yield rest.slice(0, PIECE + end + 2);
      rest = rest.slice(PIECE + end + 2);
    }
  }
  if (rest !== "") yield rest;
}
