import { sharedIds, type TokenArray } from "../readers/tokens.ts";
import { decoded } from "./utf8.ts";
import type { TextInput } from "./text_input.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Number of Unicode's code points. */
const CODE_POINTS = 0x110000;

/**
 * Characters as tokens: the code points that occur in any of the texts, in ascending order, as in nanoGPT's
 * `shakespeare_char`. Texts are read piece by piece; only the ids stay in memory, one byte each for up to 256 characters.
 */
export const characters: Tokenizer = {
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
