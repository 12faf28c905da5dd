import assert from "node:assert/strict";
import { InputError } from "../../runtime/core/errors.ts";

/** Asserts that `body` throws an `InputError` with exactly this message, or one that matches. */
export function refuses(body: () => unknown, message: string | RegExp, what?: string): void {
  assert.throws(body, (error) => isInputError(error, message, what));
}

/** Asserts the same of a promise, or of a function that returns one. */
export async function rejects(
  promise: Promise<unknown> | (() => Promise<unknown>),
  message: string | RegExp,
): Promise<void> {
  await assert.rejects(promise, (error) => isInputError(error, message));
}

function isInputError(error: unknown, message: string | RegExp, what = ""): true {
  assert.ok(error instanceof InputError, `${what} ${error instanceof Error ? error.stack : error}`);
  if (typeof message === "string") assert.equal(error.message, message, what);
  else assert.match(error.message, message, what);
  return true;
}
