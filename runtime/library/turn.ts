/**
 * Measurements of a process run one at a time, since they would slow down each other.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { InputError } from "../core/errors.ts";
import { AbortedError } from "./aborted_error.ts";

const inside = new AsyncLocalStorage<boolean>();

/** Resolves when all measurements so far have ended. Never rejects. */
let last: Promise<void> = Promise.resolve();

/** Place of a measurement among those of the process. */
interface Turn {
  /** Resolves when all measurements before it have ended. */
  readonly before: Promise<void>;
  /** Starts the next one in the queue. */
  readonly end: () => void;
}

/** Turn that was taken when the measurement was called, before it was planned. */
const taken = new AsyncLocalStorage<Turn>();

function takeTurn(): Turn {
  const before = last;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  last = before.then(() => ended);
  return { before, end };
}

/** Runs the planning and the measurement of a call, whose turn comes in the order of calls. */
export async function inOrder<T>(call: () => Promise<T>): Promise<T> {
  const turn = takeTurn();
  try {
    return await taken.run(turn, call);
  } finally {
    turn.end();
  }
}

/**
 * Runs a measurement after all earlier ones of this process have ended.
 *
 * @throws {AbortedError} if `signal` aborts before its turn
 * @throws {InputError} if a measurement itself calls it, which would wait for its own end
 */
export async function inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (inside.getStore()) {
    throw new InputError("A measured function called measure(), bench() or run(), which would wait for its own end");
  }
  const { before, end } = taken.getStore() ?? takeTurn();
  try {
    await orAborted(before, signal);
    return await inside.run(true, work);
  } finally {
    end();
  }
}

/** Runs a callback of the program, which is not part of the measurement and may start others. */
export function outsideTurn<T>(callback: () => T): T {
  return inside.run(false, callback); // exit() keeps the value in Deno 2.9
}

async function orAborted(turn: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await turn;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new AbortedError(null, signal.reason));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([aborted, turn]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
