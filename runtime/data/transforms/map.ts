import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import { readable } from "../../core/readable.ts";
import { namedReasonOf } from "../../core/shown.ts";
import { functionOf, loadFunction, registerFunction } from "./functions.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import {
  defineTransform,
  EVERY_EPOCH,
  type MapFunction,
  type MapSample,
  type Pixels,
  type SamplePass,
  type SampleType,
} from "./transform.ts";
import type { MapSpec } from "./types.ts";

const FIX = "lower data.cache.after, so that the function comes after the cache";

const NO_RANDOM = new Proxy(new RandomStream(0, 0, 0), {
  get(): never {
    throw new InputError(`it draws random numbers, but a cache keeps its results for all epochs; ${FIX}`);
  },
});

const schema = ({ record, z, positiveInteger, nonNegativeInteger }: SchemaKit) =>
  record("map", {
    name: z.string().describe("name of the function"),
    module: z.string().nullable().describe("module that creates the function; null: the script"),
    script: z.string().describe("module that workers import to create it"),
    index: nonNegativeInteger.describe("index among the functions of its module"),
    hash: nonNegativeInteger.describe("hash of its source text, to detect a different function"),
    output: z.strictObject({
      dtype: z.enum(["u8", "f32"], { error: 'expected "u8" or "f32"' }).optional(),
      order: z.enum(["chw", "hwc"], { error: 'expected "chw" or "hwc"' }).optional(),
      channels: positiveInteger.optional(),
      height: positiveInteger.optional(),
      width: positiveInteger.optional(),
    }).describe("type and size of the result, where they differ from the input"),
  });

export const mapDef = defineTransform({
  kind: "map",
  schema,
  userCode: true,
  label: ({ name }) => `map(${name})`,
  load: loadFunction,
  output: ({ output }, input) => ({
    ...input,
    bytes: false,
    dtype: output.dtype ?? input.dtype,
    order: output.order ?? input.order,
    channels: output.channels ?? input.channels,
    height: output.height ?? input.height,
    width: output.width ?? input.width,
  }),
  action: (spec) => ({
    act: "whole",
    open: (input, output, key) => new MapPass(spec, functionOf(spec), input, output, key),
  }),
});

/** Options of `map`. */
export interface MapOptions extends DelayOption {
  /** Type and size of the result, where they differ from the input. */
  output?: { dtype?: "u8" | "f32"; order?: "chw" | "hwc"; channels?: number; height?: number; width?: number };
  /** `import.meta.url` of the module that calls `map`, if that is not the main script. */
  module?: string;
  /** Name in reports; the function's own name by default. */
  name?: string;
}

/**
 * Applies your own function to a whole sample. It may change `sample.data` and return nothing, or return another array.
 * Draw random numbers from `random`: it is keyed by (seed, epoch, sample), so every worker draws the same.
 *
 * Workers import the script to create the function, so call `map` at the top level, always in the same order. Each worker
 * has its own copy of the module's variables.
 *
 * @throws {InputError} if an option is invalid
 *
 * @example
 * ```ts
 * import { transforms as t } from "@tacho/tacho";
 *
 * const invert = t.map(({ data }) => {
 *   for (let i = 0; i < data.length; i++) data[i] = 255 - data[i]!;
 * });
 * ```
 */
export function map(fn: MapFunction, options: MapOptions = {}): MapSpec {
  if (typeof fn !== "function") throw new InputError(`map() got ${typeof fn}; expected a function of a sample`);
  const { output = {}, module = null, name = readable(fn, "map()").name || "function", ...rest } = readable(
    options,
    "map()",
  );
  return recordOf(mapDef, { name, ...registerFunction(fn, module), output, ...rest });
}

/** A user's function as a separate pass. */
class MapPass implements SamplePass {
  readonly #spec: MapSpec;
  readonly #fn: MapFunction;
  readonly #input: SampleType;
  readonly #output: SampleType;
  readonly #key: number;

  constructor(spec: MapSpec, fn: MapFunction, input: SampleType, output: SampleType, key: number) {
    this.#spec = spec;
    this.#fn = fn;
    this.#input = input;
    this.#output = output;
    this.#key = key;
  }

  /**
   * Calls the function with the values at the beginning of `source.data`.
   *
   * @throws {InputError} if it throws, or its result differs from `output`
   */
  run(source: Pixels, epoch: number, index: number): Pixels {
    const { channels, order } = this.#input;
    const [height, width] = [source.height!, source.width!];
    const data = source.data.subarray(0, channels * height * width);
    let result: unknown;
    try {
      const values = { data, channels, height, width, order, index };
      result = epoch === EVERY_EPOCH
        ? this.#fn(...cacheable(values))
        : this.#fn({ ...values, epoch }, new RandomStream(this.#key, epoch, index));
      result ??= data;
    } catch (error) {
      throw new InputError(`transforms.map(${this.#spec.name}) failed: ${namedReasonOf(error)}`, { cause: error });
    }
    return this.#checked(result, height, width);
  }

  #checked(result: unknown, height: number, width: number): Pixels {
    const { dtype, channels } = this.#output;
    const kind = dtype === "u8" ? Uint8Array : Float32Array;
    const size = { height: this.#spec.output.height ?? height, width: this.#spec.output.width ?? width };
    const length = channels * size.height * size.width;
    if (result instanceof Promise) throw this.#wrong("a promise", kind.name, length, "; it must not be async");
    if (!(result instanceof kind) || result.length !== length) {
      const found = ArrayBuffer.isView(result)
        ? `${result.constructor.name} of ${(result as Uint8Array).length} values`
        : typeof result;
      throw this.#wrong(found, kind.name, length, "; say what it returns with { output: { dtype, channels, ... } }");
    }
    return { data: result, offset: 0, ...size };
  }

  #wrong(found: string, kind: string, length: number, fix: string): InputError {
    return new InputError(
      `transforms.map(${this.#spec.name}) returned ${found}; expected ${kind} of ${length} values${fix}`,
    );
  }
}

/**
 * Returns the arguments of a user's function for a sample that a cache keeps for all epochs: reading the epoch or drawing a
 * random number throws.
 */
function cacheable(values: Omit<MapSample, "epoch">): [sample: MapSample, random: RandomStream] {
  const sample = {
    ...values,
    get epoch(): number {
      throw new InputError(`it reads sample.epoch, but a cache keeps its results for all epochs; ${FIX}`);
    },
  };
  return [sample, NO_RANDOM];
}
