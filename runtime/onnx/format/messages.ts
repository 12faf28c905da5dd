/**
 * Reading of protobuf messages by field number (https://protobuf.dev/programming-guides/encoding). Fields without a reader are
 * skipped, so that files of newer versions can be read.
 *
 * @module
 */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { InputError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { reasonOf } from "../../core/shown.ts";
import { spend } from "../budget.ts";

/** Takes the value of a field each time that the field occurs. */
export interface Field {
  readonly wire: readonly WireType[];
  read(reader: BinaryReader, wire: WireType): void;
}

/** Readers by field number. */
export type Fields = Readonly<Record<number, Field>>;

/**
 * Reads a message.
 *
 * @param what the message in errors, such as `the graph`
 * @throws {InputError} if it is cut off or damaged
 */
export function readMessage(bytes: Uint8Array, what: string, fields: Fields): void {
  spend("messages");
  const reader = new BinaryReader(bytes);
  try {
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      const field = fields[number];
      if (field === undefined) reader.skip(wire, number);
      else if (field.wire.includes(wire)) field.read(reader, wire);
      else throw new Error(`field ${number} has wire type ${wire}, expected ${field.wire.join(" or ")}`);
    }
    if (reader.pos !== reader.len) throw new Error("premature EOF");
  } catch (error) {
    if (isInstance(error, InputError)) throw error;
    throw new InputError(`${what} is damaged: ${reasonOf(error)}`, { cause: error });
  }
}

const { Varint, Bit32, Bit64, LengthDelimited } = WireType;

/** A field of an integer, `int64` or smaller. Integers beyond 2^53 lose their last bits. */
export function integer(take: (value: number) => void): Field {
  return { wire: [Varint], read: (reader) => take(Number(reader.int64())) };
}

/** A field of a 32-bit float. */
export function float(take: (value: number) => void): Field {
  return { wire: [Bit32], read: (reader) => take(reader.float()) };
}

/** A field of bytes: a view of the file's. */
export function bytes(take: (value: Uint8Array) => void): Field {
  return { wire: [LengthDelimited], read: (reader) => take(reader.bytes()) };
}

/** A field of UTF-8 text. */
export function text(take: (value: string) => void): Field {
  return { wire: [LengthDelimited], read: (reader) => take(reader.string()) };
}

/** A repeated field of integers, packed or not. */
export function integers(into: number[]): Field {
  return repeated(Varint, (reader) => into.push(Number(reader.int64())));
}

/** A repeated field of unsigned 64-bit integers, packed or not. */
export function unsigned(into: number[]): Field {
  return repeated(Varint, (reader) => into.push(Number(reader.uint64())));
}

/** A repeated field of 32-bit floats, packed or not. */
export function floats(into: number[]): Field {
  return repeated(Bit32, (reader) => into.push(reader.float()));
}

/** A repeated field of 64-bit floats, packed or not. */
export function doubles(into: number[]): Field {
  return repeated(Bit64, (reader) => into.push(reader.double()));
}

function repeated(wire: WireType, one: (reader: BinaryReader) => void): Field {
  return {
    wire: [wire, LengthDelimited],
    read(reader, found) {
      if (found !== LengthDelimited) return one(reader);
      const end = reader.uint32() + reader.pos;
      if (end > reader.len) throw new RangeError("premature EOF");
      while (reader.pos < end) one(reader);
      if (reader.pos !== end) throw new Error("a packed field ends within a number");
    },
  };
}
