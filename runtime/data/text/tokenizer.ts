import type { DataPackage } from "../data_package.ts";
import type { TokenArray, TokenType } from "../readers/tokens.ts";
import type { TextInput } from "./text_input.ts";

/** Tokens of some texts with one vocabulary. */
export interface Tokenized {
  /** Number of token ids. */
  readonly vocabulary: number;
  readonly dtype: TokenType;
  /** Returns true if tokens can be counted and read: what the tokenizer needs is loaded. */
  loaded(): boolean;
  /** Returns the number of tokens in a text. */
  length(index: number): number;
  /** Returns the ids of a text in shared memory; null if the bytes of the text are the ids. */
  ids(index: number): TokenArray | null;
}

/** Definition of a tokenizer. Each is a file in this folder and a line in `tokenizers.ts`. */
export interface Tokenizer {
  /** Packages that it uses. */
  readonly packages?: readonly DataPackage[];
  /**
   * Loads what the tokenizer needs, before tokens are counted.
   *
   * @throws {InputError} if it cannot be loaded
   */
  load?(): Promise<void>;
  /**
   * Tokenizes texts.
   *
   * @throws {InputError} if a text cannot be read or is not UTF-8
   */
  open(texts: readonly TextInput[]): Tokenized;
}
