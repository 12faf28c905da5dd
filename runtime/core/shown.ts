/**
 * Formats users' values for messages. Nothing here throws, whatever the value: a cycle, a bigint, a getter that throws, a
 * revoked proxy.
 *
 * @module
 */
import { TachoError } from "./errors.ts";

/** Maximum characters of a value in a message. */
const VALUE_LENGTH = 60;
/** Maximum characters of a line of a list of problems. */
const LINE_LENGTH = 600;
/** Maximum lines of a list of problems. */
const LINES = 20;
/** Records inside records that are shown. */
const DEPTH = 8;

/** Formats a value as JSON would be written, in at most `limit` characters. Calls no getter and no `toJSON`. */
export function shown(value: unknown, limit = VALUE_LENGTH): string {
  return value === undefined ? "missing" : clipped(format(value, limit, []), limit);
}

/** Returns the text in at most `limit` characters. */
export function clipped(text: string, limit = VALUE_LENGTH): string {
  return text.length > limit ? `${text.slice(0, limit - 3)}...` : text;
}

/** Joins problems, one per line: the first ones, and the number of the others. */
export function shownLines(lines: readonly string[]): string {
  const first = lines.slice(0, LINES).map((line) => clipped(line, LINE_LENGTH));
  const others = lines.length - first.length;
  return others === 0 ? first.join("\n") : `${first.join("\n")}\nand ${others} more of these problems`;
}

/** Returns the message of anything that was thrown. */
export function reasonOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message);
    return typeof error === "string" ? error : shown(error);
  } catch {
    return "an error without a readable message";
  }
}

/** Like {@linkcode reasonOf}, with the name of an error that is not Tacho's, such as `TypeError`. */
export function namedReasonOf(error: unknown): string {
  try {
    return error instanceof Error && !(error instanceof TachoError)
      ? `${String(error.name)}: ${String(error.message)}`
      : reasonOf(error);
  } catch {
    return reasonOf(error);
  }
}

/** @param room number of characters after which the rest may be left out */
function format(value: unknown, room: number, parents: readonly object[]): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.slice(0, room));
    case "bigint":
      return `${value}n`;
    case "function":
      return "a function";
    case "object":
      return value === null ? "null" : formatObject(value, room, parents);
    default:
      return String(value);
  }
}

function formatObject(value: object, room: number, parents: readonly object[]): string {
  if (parents.includes(value)) return "[circular]";
  if (parents.length === DEPTH) return "...";
  const inner = (key: PropertyKey, left: number) => {
    const property = Reflect.getOwnPropertyDescriptor(value, key);
    if (property?.get !== undefined) return "[getter]";
    return format(property?.value, left, [...parents, value]);
  };
  try {
    if (ArrayBuffer.isView(value)) return `${value.constructor.name} of ${value.byteLength} bytes`;
    if (Array.isArray(value)) {
      let text = "[";
      for (let i = 0; i < value.length && text.length < room; i++) {
        text += `${i === 0 ? "" : ","}${inner(i, room - text.length)}`;
      }
      return `${text}]`;
    }
    const prototype = Object.getPrototypeOf(value) as object | null;
    let text = prototype === Object.prototype || prototype === null ? "{" : `${className(prototype)} {`;
    const first = text.length;
    for (const key of Object.keys(value)) {
      if (text.length >= room) break;
      text += `${text.length === first ? "" : ","}${JSON.stringify(key.slice(0, room))}:`;
      text += inner(key, room - text.length);
    }
    return `${text}}`;
  } catch {
    return "an unreadable object";
  }
}

function className(prototype: object): string {
  const made: unknown = Reflect.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  const name: unknown = typeof made === "function" ? Reflect.getOwnPropertyDescriptor(made, "name")?.value : undefined;
  return typeof name === "string" && name !== "" ? name.slice(0, VALUE_LENGTH) : "an object";
}
