/**
 * JSON from files that others may have made. What it costs to read is bounded by its size.
 *
 * @module
 */
import type { z } from "zod";

/** Largest number of values of a text, each of which takes up to 60 bytes. */
const MAX_VALUES = 2 ** 24;

/** Deepest nesting; deeper values overflow the stack of whoever walks through them. */
const MAX_DEPTH = 200;

const [QUOTE, COMMA, ESCAPE] = [0x22, 0x2c, 0x5c];
const [LIST, LIST_END, RECORD, RECORD_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses JSON.
 *
 * @throws {SyntaxError} if it is not JSON, or has too many or too deeply nested values
 */
export function parseJson(text: string): unknown {
  let [values, depth] = [1, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        values++;
        break;
      case LIST:
      case RECORD:
        values++;
        if (++depth > MAX_DEPTH) throw new SyntaxError(`it is nested more than ${MAX_DEPTH} deep`);
        break;
      case LIST_END:
      case RECORD_END:
        depth--;
    }
  }
  if (values > MAX_VALUES) throw new SyntaxError(`it has more than ${MAX_VALUES} values`);
  return JSON.parse(text);
}

/** Returns the position of the quote that ends a string; the length of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === ESCAPE) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Lets zod stop at the first problems. By default it collects all: those of a megabyte of `{}` take gigabytes. */
const FIRST: z.core.ParseContext<z.core.$ZodIssue> & { readonly abortEarly: true } = { abortEarly: true };

/** Checks a value, and reports its first problems only. */
export function checkFirst<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  return schema.safeParse(value, FIRST);
}

/**
 * Like {@linkcode checkFirst}, and returns the value.
 *
 * @throws {z.ZodError} with the first problems
 */
export function parseFirst<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = checkFirst(schema, value);
  if (error !== undefined) throw error;
  return data;
}
