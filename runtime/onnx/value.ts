/**
 * Values between the nodes of an ONNX graph: tensors of the model, and constants that are known when it is built, such as
 * weights and shapes.
 *
 * @module
 */
import { type Shape, sizeOf } from "../core/shape.ts";
import type { Tensor } from "../graph/op.ts";
import type { Initializer } from "../graph/types.ts";
import type { ElementKind } from "./format/element_types.ts";

/** A value between nodes. */
export type Value = Tensor | Constant;

/** A tensor whose elements are known when the model is built. Integers and truth values are held as doubles. */
export class Constant {
  readonly kind: ElementKind;
  readonly shape: Shape;
  /** Name in the file if it is an initializer. */
  readonly initializer: string | null;
  /** True if it is trained, and so no part of other constants. */
  readonly trained: boolean;
  /** Name of the element type in the file, such as `int8`; null if it is not known. */
  readonly type: string | null;
  /** The trained matrix whose transpose this is; null for any other constant. */
  readonly transposed: Constant | null;
  readonly #read: () => Float32Array | Float64Array;
  #values: Float32Array | Float64Array | undefined;

  private constructor(
    kind: ElementKind,
    shape: Shape,
    read: () => Float32Array | Float64Array,
    initializer: string | null,
    trained: boolean,
    type: string | null,
    transposed: Constant | null = null,
  ) {
    this.type = type;
    this.transposed = transposed;
    this.kind = kind;
    this.shape = shape;
    this.initializer = initializer;
    this.trained = trained;
    this.#read = read;
  }

  /** A constant of known elements, in row-major order. An array of the type in which they are held is not copied. */
  static of(kind: ElementKind, shape: Shape, values: ArrayLike<number>, type: string | null = null): Constant {
    const Held = kind === "float" ? Float32Array : Float64Array;
    const held = values instanceof Held ? values : Held.from(values);
    if (held.length !== sizeOf(shape)) throw new Error(`${held.length} elements in a constant of ${sizeOf(shape)}`);
    return new Constant(kind, shape, () => held, null, false, type);
  }

  /** A constant whose elements are computed when they are first read. */
  static later(kind: ElementKind, shape: Shape, compute: () => Float32Array | Float64Array): Constant {
    return new Constant(kind, shape, compute, null, false, null);
  }

  /** A list of integers, such as a shape. */
  static integers(values: readonly number[]): Constant {
    return Constant.of("integer", [values.length], values);
  }

  /** An initializer of the file, which is read when it is first used. */
  static initializer(
    name: string,
    { kind, shape, type }: Pick<Constant, "kind" | "shape" | "type">,
    trained: boolean,
    read: () => Float32Array | Float64Array,
  ): Constant {
    return new Constant(kind, shape, read, name, trained, type);
  }

  /** The same tensor as a parameter, of another name if it is not the file's own. */
  asTrained(name: string = this.initializer!): Constant {
    return new Constant(this.kind, this.shape, () => this.values, name, true, this.type);
  }

  /** Elements in row-major order; no one may change them. */
  get values(): Float32Array | Float64Array {
    return this.#values ??= this.#read();
  }

  /** Returns the elements as the first ones of a leaf, which reads them when it is initialised. */
  initial(): Initializer {
    const floats = () => this.values instanceof Float32Array ? this.values : Float32Array.from(this.values);
    return {
      kind: "values",
      get values() {
        return floats();
      },
    };
  }

  get size(): number {
    return sizeOf(this.shape);
  }

  /** The transpose of a trained matrix, which no step computes where a product takes the matrix as it is. */
  transpose(): Constant {
    if (this.transposed !== null) return this.transposed;
    const read = (): never => {
      throw new Error("The elements of a transposed weight are those of the weight");
    };
    return new Constant(this.kind, this.shape.toReversed(), read, this.initializer, this.trained, this.type, this);
  }

  /** The same elements in another shape. */
  reshaped(shape: Shape): Constant {
    return Constant.of(this.kind, shape, this.values, this.type);
  }
}

export function isConstant(value: Value | null | undefined): value is Constant {
  return value instanceof Constant;
}
