import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { fillFrom, openFile } from "../files.ts";
import type { ReaderDef, ReaderPlan, Source } from "./reader.ts";

/** Array of token ids. */
export type TokenArray = Uint8Array | Uint16Array | Int32Array;

/** Types of token ids: unsigned bytes, unsigned 16-bit and signed 32-bit integers, little-endian in files. */
export const TOKEN_ARRAYS = { u8: Uint8Array, u16: Uint16Array, i32: Int32Array } as const;

export type TokenType = keyof typeof TOKEN_ARRAYS;

/** Returns an array for ids in shared memory, which is not cloned for workers. */
export function sharedIds(dtype: TokenType, length: number): TokenArray {
  const type: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBufferLike): TokenArray } = TOKEN_ARRAYS[dtype];
  return new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT));
}

/** Sequences of one length from a series of token ids, and the ids that follow each position as targets. */
export interface TokensPlan extends ReaderPlan {
  readonly kind: "tokens";
  /** File of the ids, or of the text that `ids` encodes; null for an array of the script. */
  readonly path: string | null;
  /** All ids in memory; null reads ranges of the file. */
  readonly ids: TokenArray | null;
  readonly dtype: TokenType;
  /** Position of the split's first token. */
  readonly begin: number;
  /** Tokens from the start of one sequence to the start of the next. */
  readonly stride: number;
}

export const tokensReader: ReaderDef<TokensPlan> = {
  where(plan, index) {
    const first = plan.begin + index * plan.stride;
    return plan.path && `${plan.path}: tokens ${first} to ${first + plan.targetSize}`;
  },
  open: (plan) => new TokensSource(plan),
};

/** Sequences of tokens, read by range, so that a file of any size takes the memory of one sequence. */
class TokensSource implements Source {
  readonly offset = 0;
  readonly data = new Uint8Array(0);
  readonly fields: { readonly input: Int32Array };
  readonly #plan: TokensPlan;
  readonly #file: Deno.FsFile | null;
  readonly #bytes: Uint8Array;
  /** One sequence and the token after it. */
  readonly #ids: TokenArray;

  constructor(plan: TokensPlan) {
    this.#plan = plan;
    this.fields = { input: new Int32Array(plan.targetSize) };
    this.#ids = new TOKEN_ARRAYS[plan.dtype](plan.targetSize + 1);
    this.#bytes = new Uint8Array(this.#ids.buffer);
    this.#file = plan.ids === null ? openFile(plan.path!) : null;
  }

  read(index: number, target: Int32Array | Float32Array, at: number): void {
    const { begin, stride, targetSize, classes } = this.#plan;
    const first = begin + index * stride;
    const ids = this.#range(first);
    const { input } = this.fields;
    for (let i = 0; i <= targetSize; i++) {
      const id = ids[i]!;
      if (id < 0 || id >= classes!) throw this.#outside(first + i, id);
      if (i < targetSize) input[i] = id;
      if (i > 0) target[at + i - 1] = id;
    }
  }

  close(): void {
    this.#file?.close();
  }

  /** Returns the ids of a sequence and the one after it. */
  #range(first: number): TokenArray {
    const { path, ids, targetSize } = this.#plan;
    if (ids !== null) return ids.subarray(first, first + targetSize + 1);
    let got: number;
    try {
      got = fillFrom(this.#file!, first * this.#ids.BYTES_PER_ELEMENT, this.#bytes);
    } catch (error) {
      throw new InputError(`${path}: token ${first} cannot be read: ${reasonOf(error)}`, { cause: error });
    }
    if (got === this.#bytes.length) return this.#ids;
    throw new InputError(
      `${path} ends at token ${first + Math.floor(got / this.#ids.BYTES_PER_ELEMENT)}: it has been truncated since ` +
        "the run began",
    );
  }

  #outside(position: number, id: number): InputError {
    const { path, classes, dtype } = this.#plan;
    return new InputError(
      `${path ?? "The array"}: token ${position} is ${id}, which is outside the vocabulary; expected 0..${
        classes! - 1
      }. Give a larger vocabulary, or the dtype that the ids were written in, if it is not ${dtype}`,
    );
  }
}
