import type { Tokenizer } from "./tokenizer.ts";

/** Bytes as tokens: 256 ids. Ranges of a file are read when they are needed. */
export const bytes: Tokenizer = {
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
