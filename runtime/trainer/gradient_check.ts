import type { DType, FloatType } from "../core/dtype.ts";
import type { Shape } from "../core/shape.ts";

/** Values in row-major order. */
export type CheckedValues = ArrayLike<number>;

/** An input of the op under check. */
export interface CheckedInput {
  readonly shape: Shape;
  /** Default: the element type under check, f32 or f16. Integers have no gradient. */
  readonly dtype?: DType;
  /** Row-major values. Default: draws from the standard normal distribution. */
  readonly values?: CheckedValues;
}

/** Options of `checkGradient()`. */
export interface CheckGradientOptions {
  /**
   * Computes the outputs from the inputs in double precision, row-major; a list of outputs if there are several. With it,
   * outputs are compared too, and differences are those of the reference. Without it, differences are those of the op in
   * f32, summed in double precision.
   */
  readonly reference?: (...inputs: Float64Array[]) => CheckedValues | readonly CheckedValues[];
  /** Element types to check. Default: f32, and f16 where the adapter has it. */
  readonly dtypes?: readonly FloatType[];
  /**
   * Largest error relative to the largest value of a tensor. Default: 1e-4 for f32, 2e-3 without a reference; 5e-3 for
   * f16.
   */
  readonly tolerance?: number;
  /** Elements of each input whose derivative is checked. Default: 16. */
  readonly samples?: number;
  /** Seed of the inputs, and of the choice of elements. Default: 1. */
  readonly seed?: number;
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
}

/** Result of `checkGradient()`. */
export interface GradientCheck {
  /** Names of the script's own kernels that were checked. */
  readonly kernels: readonly string[];
  /** Derivatives compared. */
  readonly derivatives: number;
  /** Largest error of a gradient relative to the largest value of its tensor, by element type. */
  readonly errors: Readonly<Partial<Record<FloatType, number>>>;
}
