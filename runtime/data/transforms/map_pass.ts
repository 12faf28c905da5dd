import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import type { MapSpec } from "./schema.ts";
import type { MapFunction, Pixels, SampleType } from "./transform.ts";

/** A function of the user's as a pass by itself. */
export class MapPass {
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
