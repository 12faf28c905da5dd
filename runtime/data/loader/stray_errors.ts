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

/** Call of user code, which makes a sample. */
export class Call {
  /** Receives an error while the sample is awaited; null otherwise. */
  #fail: ((error: InputError) => void) | null = null;

  readonly owner: StrayErrors;
  readonly sample: number;
  readonly batch: number;
  readonly place: number;
  readonly attempt: number;

  /**
   * @param place place in the batch
   * @param attempt number of samples tried at this place, with this one
   */
  constructor(
    owner: StrayErrors,
    sample: number,
    batch: number,
    place: number,
    attempt: number,
  ) {
    this.owner = owner;
    this.sample = sample;
    this.batch = batch;
    this.place = place;
    this.attempt = attempt;
  }

  /** Runs the call. */
  run(make: () => void | Promise<void>): void | Promise<void> {
    latest = this;
    return calls.run(this, make)?.finally(() => this.#fail = null);
  }

  /** Returns a promise that is rejected as soon as an error arrives, until the end of the call. */
  failed(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#fail = reject;
    return promise;
  }

  /** Rejects the pending sample with an error; returns false if none is pending. */
  fail(error: InputError): boolean {
    this.#fail?.(error);
    return this.#fail !== null;
  }
}

/** Error of a call. */
export interface StrayError {
  readonly call: Call;
  readonly error: InputError;
}

const calls = new AsyncLocalStorage<Call>();

/** Latest call on this thread, for errors without a context, such as those of a module's own timers. */
let latest: Call | null = null;

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

  /** Begins a call; see {@linkcode Call}. */
  call(sample: number, batch: number, place: number, attempt: number): Call {
    return new Call(this, sample, batch, place, attempt);
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
  add(call: Call, error: unknown, what: string): void {
    const place = placeOf(error) ?? this.#file(call.sample);
    const message = `${this.#thread}: ${what}: ${namedReasonOf(error)}${place}; catch it where it occurs`;
    const described = new InputError(message, { cause: error });
    if (call.fail(described)) return;
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
        return undefined;
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
