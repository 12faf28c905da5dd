import { fileURLToPath } from "node:url";
import { InputError } from "../../core/errors.ts";
import { namedReasonOf, reasonOf } from "../../core/shown.ts";
import { arrayName, type FieldSize, isFieldArray } from "../fields.ts";
import type { Stream, StreamWindow } from "../loader/stream_window.ts";
import type { BatchTensors } from "../shared.ts";
import type { SampleModule } from "../module_info.ts";
import { type ReaderDef, type ReaderPlan, sampleSize, type Source } from "./reader.ts";

/** Samples of a user's module. */
export interface ModulePlan extends ReaderPlan {
  readonly kind: "module";
  readonly url: string;
  /** Class index of ignored targets. */
  readonly ignoreIndex: number;
}

export const moduleReader: ReaderDef<ModulePlan> = { userCode: true, where: modulePath, open: openModule };

/** Sample from a user's module, unchecked. */
interface Given {
  readonly input?: unknown;
  readonly target?: unknown;
  readonly [field: string]: unknown;
}

type Get = (index: number) => Given | Promise<Given>;

type Samples = (epoch: number) => unknown;

/** Samples from a user's module: from `get(index)`, or from `samples(epoch)` in one order. */
class ModuleSource implements Source {
  readonly offset = 0;
  data: Uint8Array | Float32Array;
  fields: BatchTensors = {};
  readonly #plan: ModulePlan;
  readonly #get: Get;
  readonly #stream: StreamWindow<Given> | null;
  readonly #size: number;

  constructor(plan: ModulePlan, get: Get, stream: StreamWindow<Given> | null) {
    this.#plan = plan;
    this.#get = get;
    this.#stream = stream;
    this.#size = sampleSize(plan.sample);
    this.data = new Uint8Array(0);
  }

  read(index: number, target: Int32Array | Float32Array, at: number): void | Promise<void> {
    let given: unknown;
    try {
      given = this.#get(index);
    } catch (error) {
      throw this.#failed(index, error);
    }
    if (!isPromise(given)) return this.#take(index, given, target, at);
    return Promise.resolve(given).then(
      (sample) => this.#take(index, sample, target, at),
      (error) => {
        throw this.#failed(index, error);
      },
    );
  }

  seek(epoch: number, order: Uint32Array | null, from: number): void {
    this.#stream?.seek(epoch, order, from);
  }

  close(): void {
    this.#stream?.close();
  }

  #take(index: number, given: unknown, target: Int32Array | Float32Array, at: number): void {
    const { sample, targetSize, targetDType, classes, ignoreIndex } = this.#plan;
    const { input, target: value } = (given ?? {}) as Given;
    if (sample !== null) {
      const kind = sample.dtype === "u8" ? Uint8Array : Float32Array;
      if (!(input instanceof kind) || input.length !== this.#size) {
        throw this.#wrong(index, "input", input, `${kind.name} of ${this.#size} values`);
      }
      this.data = input;
    }
    const values = typeof value === "number" ? [value] : value;
    if (!isList(values) || values.length !== targetSize) {
      throw this.#wrong(index, "target", value, targetSize === 1 ? "a number" : `${targetSize} numbers`);
    }
    for (let i = 0; i < targetSize; i++) {
      const number: unknown = values[i];
      const isClass = number === ignoreIndex ||
        (Number.isInteger(number) && (number as number) >= 0 && (number as number) < (classes ?? 2 ** 31));
      if (targetDType === "i32" && !isClass) {
        const range = classes === null ? "of at least 0" : `0..${classes - 1}`;
        throw this.#wrong(index, "target", value, `a class index ${range}`);
      }
      if (typeof number !== "number") throw this.#wrong(index, "target", value, "numbers");
      target[at + i] = number;
      if (!Number.isFinite(target[at + i])) throw this.#wrong(index, "target", number, "finite numbers");
    }
    if (this.#plan.fields !== undefined) this.fields = this.#further(index, given as Given, this.#plan.fields);
  }

  #further(index: number, given: Given, fields: Readonly<Record<string, FieldSize>>): BatchTensors {
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const values = given[name];
        if (isFieldArray(field, values)) return [name, values];
        throw this.#wrong(index, name, values, `${arrayName(field)} of ${field.length} values`);
      }),
    );
  }

  #wrong(index: number, part: string, found: unknown, expected: string): InputError {
    const shown = ArrayBuffer.isView(found)
      ? `${found.constructor.name} of ${(found as Uint8Array).length} values`
      : typeof found === "number"
      ? `${found}`
      : found === undefined
      ? "nothing"
      : typeof found;
    return new InputError(
      `${modulePath(this.#plan)}: ${this.#call(index)} returned ${shown} as its ${part}; expected ${expected}`,
    );
  }

  #call(index: number): string {
    return this.#stream === null ? `get(${index})` : `sample ${index} of samples(epoch)`;
  }

  #failed(index: number, error: unknown): InputError {
    return new InputError(`${modulePath(this.#plan)}: ${this.#call(index)} failed: ${namedReasonOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Imports the module.
 *
 * @throws {InputError} if it cannot be imported or exports neither function
 */
async function openModule(plan: ModulePlan): Promise<ModuleSource> {
  let exports: SampleModule;
  try {
    exports = await import(plan.url) as SampleModule;
  } catch (error) {
    throw new InputError(`source(): ${modulePath(plan)} cannot be imported: ${reasonOf(error)}`, { cause: error });
  }
  const { get, samples } = exports;
  if (plan.sequential && typeof samples === "function") {
    const { StreamWindow } = await import("../loader/stream_window.ts");
    const path = modulePath(plan);
    const stream = new StreamWindow((epoch) => openStream(path, samples as Samples, epoch), plan.length);
    return new ModuleSource(plan, (index) => stream.get(index), stream);
  }
  if (typeof get === "function") return new ModuleSource(plan, get as Get, null);
  throw new InputError(
    `source(): ${modulePath(plan)} exports neither get(index) nor samples(epoch); expected one of them`,
  );
}

/** Returns the path of a module, or its URL if it is not a file. */
function modulePath({ url }: ModulePlan): string {
  return url.startsWith("file:") ? fileURLToPath(url) : url;
}

/** @throws {InputError} if the user's function fails or does not return an iterable */
function openStream(path: string, samples: Samples, epoch: number): Stream<Given> {
  let stream: unknown;
  try {
    stream = samples(epoch);
  } catch (error) {
    throw new InputError(`${path}: samples(${epoch}) failed: ${namedReasonOf(error)}`, { cause: error });
  }
  const isStream = typeof stream === "object" && stream !== null &&
    (Symbol.asyncIterator in stream || Symbol.iterator in stream);
  if (isStream) return stream as Stream<Given>;
  const found = isPromise(stream) ? "a promise" : stream === null || stream === undefined ? "nothing" : typeof stream;
  throw new InputError(
    `${path}: samples(${epoch}) returned ${found}; expected an iterable: make it a generator function*`,
  );
}

/** Returns true for any thenable. */
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}
