/**
 * SPIR-V as words, as far as this folder reads it (Khronos, SPIR-V Specification 1.6).
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";

/** Instructions by their name, with their code. */
export const Op = {
  extInstImport: 11,
  entryPoint: 15,
  executionMode: 16,
  typeInt: 21,
  typeVector: 23,
  typeMatrix: 24,
  typeImage: 25,
  typeSampler: 26,
  typeArray: 28,
  typeRuntimeArray: 29,
  typeStruct: 30,
  typePointer: 32,
  constant: 43,
  function: 54,
  functionEnd: 56,
  functionCall: 57,
  variable: 59,
  load: 61,
  store: 62,
  accessChain: 65,
  inBoundsAccessChain: 66,
  decorate: 71,
  vectorExtractDynamic: 77,
} as const;

/** Storage classes of variables. */
export const Storage = {
  uniformConstant: 0,
  uniform: 2,
  workgroup: 4,
  private: 6,
  function: 7,
  pushConstant: 9,
  storageBuffer: 12,
} as const;

const MAGIC = 0x07230203;
const HEADER_WORDS = 5;

/** A module in words, without its header. */
export interface SpirvModule {
  readonly header: Uint32Array;
  /** Instructions with their words; the first word has code and length. */
  readonly instructions: readonly Uint32Array[];
}

/** Returns the code of an instruction. */
export function codeOf(instruction: Uint32Array): number {
  return instruction[0]! & 0xffff;
}

/**
 * Splits a module into instructions.
 *
 * @throws {InputError} if it is not SPIR-V, or ends inside of an instruction
 */
export function parseModule(bytes: Uint8Array): SpirvModule {
  const words = new Uint32Array(bytes.slice().buffer, 0, bytes.length >> 2);
  if (bytes.length % 4 !== 0 || words[0] !== MAGIC) {
    throw new InputError("Expected a SPIR-V module in little-endian words");
  }
  const instructions: Uint32Array[] = [];
  for (let at = HEADER_WORDS; at < words.length;) {
    const length = words[at]! >>> 16;
    if (length === 0 || at + length > words.length) {
      throw new InputError(`The SPIR-V module is damaged: the instruction at word ${at} has ${length} words`);
    }
    instructions.push(words.subarray(at, at + length));
    at += length;
  }
  return { header: words.subarray(0, HEADER_WORDS), instructions };
}

/** Joins instructions to a module. `bound` is the number of IDs. */
export function joinModule(
  header: Uint32Array,
  instructions: readonly Uint32Array[],
  bound: number,
): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(instructions.reduce((sum, { length }) => sum + length, HEADER_WORDS));
  words.set(header);
  words[3] = bound;
  let at = HEADER_WORDS;
  for (const instruction of instructions) {
    words.set(instruction, at);
    at += instruction.length;
  }
  return new Uint8Array(words.buffer);
}

/** Builds an instruction from its code and operands. */
export function instruction(code: number, ...operands: readonly number[]): Uint32Array {
  return Uint32Array.of(((operands.length + 1) << 16) | code, ...operands);
}

/** Returns the text that begins at a word of an instruction. */
export function textAt(words: Uint32Array, start: number): string {
  const bytes = new Uint8Array(words.buffer, words.byteOffset + 4 * start, 4 * (words.length - start));
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, bytes.indexOf(0))));
}
