/**
 * Errors that user code leaves behind: rejections that nothing handles, and exceptions of timers. They arrive after the call
 * that caused them, which is known from its asynchronous context.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { InputError } from "../../core/errors.ts";
import { namedReasonOf } from "../../core/shown.ts";
import { onUncaught, type Uncaught } from "../../core/uncaught.ts";
import { whereOf } from "../readers/readers.ts";
import type { BatchPlan } from "./batch_plan.ts";
import { sampleError } from "./sample_error.ts";

/** A sample that user code makes. */
export interface Call {
  readonly sample: number;
  readonly batch: number;
  /** Place in the batch. */
  readonly place: number;
  /** Number of samples tried at this place, with this one. */
  readonly attempt: number;
}

/** Error of a call. */
export interface StrayError {
  readonly call: Call;
  readonly error: InputError;
}

/** A call with what its stray errors need. */
interface OwnedCall extends Call {
  readonly owner: StrayErrors;
  /** Receives the error while the call's sample is awaited; null otherwise. */
  fail: ((error: InputError) => void) | null;
}

const calls = new AsyncLocalStorage<OwnedCall>();

/** Latest call on this thread, for errors without a context, such as those of a module's own timers. */
let latest: OwnedCall | null = null;

let listening = false;

/** Stray errors of the samples of one loader on one thread. */
export class StrayErrors {
  readonly #plan: BatchPlan;
  readonly #thread: string;
  /** Errors that no batch has taken yet. */
  #found: StrayError[] = [];
  #closed = false;

  /** @param thread name of the thread, for messages */
  constructor(plan: BatchPlan, thread: string) {
    this.#plan = plan;
    this.#thread = thread;
    if (!listening) listen();
    listening = true;
  }

  /**
   * Runs user code for a sample.
   *
   * @param make called with a function that returns a promise, which is rejected as soon as an error arrives
   */
  during(call: Call, make: (failure: () => Promise<never>) => void | Promise<void>): void | Promise<void> {
    const owned: OwnedCall = { ...call, owner: this, fail: null };
    latest = owned;
    const failure = () => {
      const { promise, reject } = Promise.withResolvers<never>();
      owned.fail = reject;
      return promise;
    };
    return calls.run(owned, () => make(failure))?.finally(() => owned.fail = null);
  }

  /** Lets the event loop turn, so that unhandled rejections arrive, and returns the errors since the last time. */
  async settle(): Promise<readonly StrayError[]> {
    await turn();
    return this.#found.splice(0);
  }

  /** On the main thread, reports errors that no batch has taken, and those that arrive later. */
  close(): void {
    this.#closed = true;
    for (const stray of this.#found) this.#report(stray);
  }

  /** Adds an error of a call. */
  add(call: OwnedCall, error: unknown, what: string): void {
    const place = placeOf(error) ?? this.#file(call.sample);
    const message = `${this.#thread}: ${what}: ${namedReasonOf(error)}${place}; catch it where it occurs`;
    const described = new InputError(message, { cause: error });
    if (call.fail !== null) return call.fail(described);
    const stray = { call, error: described };
    if (this.#closed) this.#report(stray);
    else this.#found.push(stray);
  }

  #report({ call: { sample, batch }, error }: StrayError): void {
    if (!isMainThread) return;
    // Without the context, in which the report would be an error of the same call
    calls.exit(() => reportError(sampleError(error, sample, batch, null)));
  }

  #file(sample: number): string {
    const { source, transforms } = this.#plan;
    const file = whereOf(source, sample) ?? transforms.find((spec) => spec.kind === "map")?.script ?? "";
    return file === "" ? "" : ` (${file})`;
  }
}

/** Installs the handlers of this thread. */
function listen(): void {
  onUncaught(receive);
  bindTimer("setTimeout");
  bindTimer("setInterval");
}

/** On the main thread, errors without a context belong to others. */
function receive(error: unknown, kind: Uncaught): boolean {
  const call = calls.getStore() ?? (isMainThread ? null : latest);
  if (call === null) return false;
  call.owner.add(
    call,
    error,
    kind === "rejection" ? "a promise that nothing awaits was rejected" : "a callback failed",
  );
  return true;
}

/** Lets callbacks of a timer report their exceptions themselves: the event of an exception has no context (Deno 2.9). */
function bindTimer(name: "setTimeout" | "setInterval"): void {
  const original = globalThis[name];
  const bound = (callback: unknown, ...rest: unknown[]): unknown => {
    const call = calls.getStore();
    const wrapped = call === undefined || typeof callback !== "function" ? callback : (...args: unknown[]): unknown => {
      try {
        return Reflect.apply(callback, globalThis, args);
      } catch (error) {
        call.owner.add(call, error, "a timer's callback failed");
      }
    };
    return Reflect.apply(original, globalThis, [wrapped, ...rest]);
  };
  Object.defineProperties(bound, Object.getOwnPropertyDescriptors(original));
  Reflect.set(globalThis, name, bound);
}

/** Returns the place in a file at which an error was created; null if its stack has none. */
function placeOf(error: unknown): string | null {
  const stack: unknown = error instanceof Error ? error.stack : undefined;
  const [, url, position] = /(file:\/\/[^\s)]+?)(:\d+:\d+)/.exec(typeof stack === "string" ? stack : "") ?? [];
  return url === undefined ? null : ` (${fileURLToPath(url)}${position})`;
}
