import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import { functionOf, loadFunction, registerFunction } from "./functions.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import {
  defineTransform,
  type MapFunction,
  type Pixels,
  type SamplePass,
  type SampleType,
  type SpecOf,
} from "./transform.ts";

const schema = ({ z, positiveInteger, nonNegativeInteger, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("map"),
    name: z.string().describe("the function's name"),
    module: z.string().nullable().describe("the module that makes the function; null: the script"),
    script: z.string().describe("what workers import to have it"),
    index: nonNegativeInteger.describe("its number among the functions of its module"),
    hash: nonNegativeInteger.describe("a hash of its text, so that another function is not taken for it"),
    output: z.strictObject({
      dtype: z.enum(["u8", "f32"], { error: 'expected "u8" or "f32"' }).optional(),
      order: z.enum(["chw", "hwc"], { error: 'expected "chw" or "hwc"' }).optional(),
      channels: positiveInteger.optional(),
      height: positiveInteger.optional(),
      width: positiveInteger.optional(),
    }).describe("what the result is, where it differs from what comes in"),
    delay,
  });

type MapSpec = SpecOf<typeof schema>;

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

/** What `map` takes. */
export interface MapOptions extends DelayOption {
  /** What the function returns, where it differs from what it gets. */
  output?: { dtype?: "u8" | "f32"; order?: "chw" | "hwc"; channels?: number; height?: number; width?: number };
  /** `import.meta.url` of the module that calls `map`, where that is not the script that is run. */
  module?: string;
  /** In reports; the function's own name when left out. */
  name?: string;
}

/**
 * A function of your own over a whole sample. It may change `sample.data` and return nothing, or return another array.
 * Draws come from `random`, which is keyed by (seed, epoch, sample), so that they are the same in any worker.
 *
 * Workers import the script to have the function, so call `map` at its top level, always in the same order; what the
 * function uses of its module is made anew in each worker.
 *
 * ```ts ignore
 * const invert = t.map(({ data }) => {
 *   for (let i = 0; i < data.length; i++) data[i] = 255 - data[i]!;
 * });
 * ```
 *
 * @throws {InputError} if an option is invalid
 */
export function map(fn: MapFunction, options: MapOptions = {}): MapSpec {
  if (typeof fn !== "function") throw new InputError(`map() got ${typeof fn}; expected a function of a sample`);
  const { output = {}, module = null, name = fn.name || "function", ...rest } = options;
  return recordOf(mapDef, { name, ...registerFunction(fn, module), output, ...rest });
}

/** A function of the user's as a pass by itself. */
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
   * What the function makes of the values, which lie at the beginning of `source.data`.
   *
   * @throws {InputError} if it throws, or its result is not what was announced
   */
  run(source: Pixels, epoch: number, index: number): Pixels {
    const { channels, order } = this.#input;
    const height = source.height!;
    const width = source.width!;
    const data = source.data.subarray(0, channels * height * width);
    let made: unknown;
    try {
      const random = new RandomStream(this.#key, epoch, index);
      made = this.#fn({ data, channels, height, width, order, epoch, index }, random) ?? data;
    } catch (error) {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      throw new InputError(`transforms.map(${this.#spec.name}) failed: ${reason}`, { cause: error });
    }
    return this.#checked(made, height, width);
  }

  #checked(made: unknown, height: number, width: number): Pixels {
    const { dtype, channels } = this.#output;
    const kind = dtype === "u8" ? Uint8Array : Float32Array;
    const size = {
      height: this.#spec.output.height ?? height,
      width: this.#spec.output.width ?? width,
    };
    const length = channels * size.height * size.width;
    if (made instanceof Promise) throw this.#wrong("a promise", kind.name, length, "; it must not be async");
    if (!(made instanceof kind) || made.length !== length) {
      const found = ArrayBuffer.isView(made)
        ? `${made.constructor.name} of ${(made as Uint8Array).length} values`
        : typeof made;
      throw this.#wrong(found, kind.name, length, "; say what it returns with { output: { dtype, channels, ... } }");
    }
    return { data: made, offset: 0, ...size };
  }

  #wrong(found: string, kind: string, length: number, mend: string): InputError {
    return new InputError(
      `transforms.map(${this.#spec.name}) returned ${found}; expected ${kind} of ${length} values${mend}`,
    );
  }
}
