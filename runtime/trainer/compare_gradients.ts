import { add } from "../../ops/add.ts";
import { mul } from "../../ops/arithmetic.ts";
import { cast } from "../../ops/cast.ts";
import { sum } from "../../ops/sum.ts";
import { type DType, type FloatType, isFloat } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { RandomStream } from "../core/random.ts";
import { formatShape, type Shape, sizeOf } from "../core/shape.ts";
import { shown } from "../core/shown.ts";
import { Device } from "../device/device.ts";
import { GraphRunner, type GraphRunnerOptions } from "../engine/graph_runner.ts";
import { differentiate } from "../graph/autograd.ts";
import { Graph } from "../graph/graph.ts";
import { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import { kindOf } from "../nn/layer.ts";

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

const TOLERANCES = { reference: { f32: 1e-4, f16: 5e-3 }, differences: { f32: 2e-3, f16: 5e-3 } } as const;

/** Steps of the differences, relative to the larger of 1 and the element: of a reference in f64, and of kernels in f32. */
const REFERENCE_STEP = 2 ** -12;
const KERNEL_STEP = 2 ** -5;

/** Weights of the fourth-order central difference (B. Fornberg, 1988) by multiple of the step. */
const STENCIL = [[-2, 1 / 12], [-1, -2 / 3], [1, 2 / 3], [2, -1 / 12]] as const;

/** Leaf that seeds the gradient of a sum over several outputs. */
const ONE = "@one";

interface Check {
  readonly device: Device;
  readonly op: (...tensors: Tensor[]) => unknown;
  readonly inputs: readonly CheckedInput[];
  readonly options: CheckGradientOptions;
  readonly kernels: Set<string>;
}

/** Compares gradients with finite differences: the work of `checkGradient()`, which loads it when it is called. */
export async function compareGradients(
  op: (...tensors: never[]) => Tensor | readonly Tensor[],
  inputs: readonly (Shape | CheckedInput)[],
  options: CheckGradientOptions,
): Promise<GradientCheck> {
  const checkedInputs = inputs.map(inputOf);
  const device = await Device.open({ match: options.adapter });
  try {
    const check: Check = {
      device,
      op: op as (...tensors: Tensor[]) => unknown,
      inputs: checkedInputs,
      options,
      kernels: new Set(),
    };
    const errors: Partial<Record<FloatType, number>> = {};
    let derivatives = 0;
    for (const dtype of options.dtypes ?? (device.traits.f16 ? ["f32", "f16"] as const : ["f32"] as const)) {
      if (dtype === "f16" && !device.traits.f16) {
        throw new InputError(`checkGradient: the adapter "${device.info.name}" has no shader-f16; leave out f16`);
      }
      const outcome = await checkType(check, dtype);
      errors[dtype] = outcome.error;
      derivatives += outcome.derivatives;
    }
    return { kernels: [...check.kernels].sort(), derivatives, errors };
  } finally {
    device.destroy();
  }
}

async function checkType(check: Check, dtype: FloatType): Promise<{ error: number; derivatives: number }> {
  const { device, op, inputs, options: { reference, samples = 16, seed = 1 } } = check;
  const built = build(check, dtype);
  const { ys, dys, gradients, wanted } = built;
  const values = inputs.map((input, i) => valuesOf(input, input.dtype ?? dtype, seed + i));
  const weights = ys.map((y, i) => normals(sizeOf(y.shape), y.dtype, seed + 100 + i));
  const leaves = new Map([
    ...values.map((value, i) => [`@x${i}`, value] as const),
    ...dys.map((dy, i) => [dy.node.id, weights[i]!] as const),
    [ONE, Float64Array.of(1)] as const,
  ]);
  const outputsOf = reference === undefined
    ? await deviceOutputs(check)
    : { run: (at: readonly Float64Array[]) => Promise.resolve(listed(reference(...at), ys)), free: () => {} };
  try {
    const want = await outputsOf.run(values);
    const step = reference === undefined ? KERNEL_STEP : REFERENCE_STEP;
    const places = wanted.map((i) => [...new RandomStream(seed).permutation(values[i]!.length)].slice(0, samples));
    const slopes: number[][] = [];
    for (const [n, i] of wanted.entries()) {
      slopes.push([]);
      for (const place of places[n]!) {
        slopes[n]!.push(await slopeAt(outputsOf.run, values, weights, { i, place, step }));
      }
    }
    const tolerance = check.options.tolerance ??
      TOLERANCES[reference === undefined ? "differences" : "reference"][dtype];
    let error = 0;
    await everyKernel(check, async (kernelOptions, where) => {
      const runner = await GraphRunner.create(device, [...ys, ...gradients], kernelOptions);
      try {
        const results = await runner.run(leaves);
        const names = (op as { readonly inputs?: readonly string[] }).inputs ?? [];
        const title = (what: string, at: number) => `${where()}, ${dtype}: ${what} at element ${at}`;
        ys.forEach((_, i) => compare(results[i]!, want[i]!, tolerance, (at) => title(`output ${i}`, at)));
        wanted.forEach((input, n) => {
          const [got, at] = [results[ys.length + n]!, places[n]!];
          const scale = Math.max(...got.map(Math.abs), ...slopes[n]!.map(Math.abs));
          const name = (k: number) => title(`gradient of ${names[input] ?? `input ${input}`}`, at[k]!);
          error = Math.max(error, compare(at.map((place) => got[place]!), slopes[n]!, tolerance, name, scale));
        });
      } finally {
        runner.free();
      }
    });
    return { error, derivatives: places.flat().length };
  } finally {
    outputsOf.free();
  }
}

/** Applies the op in a separate graph and adds its gradients. */
function build({ op, inputs }: Check, dtype: FloatType) {
  const graph = new Graph("train");
  const xs = inputs.map((input, i) => graph.leaf("input", `@x${i}`, rowMajor(input.shape, input.dtype ?? dtype)));
  const result: unknown = op(...xs);
  const all: readonly unknown[] = Array.isArray(result) ? result : [result];
  const ys = all.map((y) => {
    if (isInstance(y, Tensor) && y.graph === graph) return y;
    throw new InputError(`checkGradient: expected a function that applies the op to its arguments, got ${kindOf(y)}`);
  });
  const floats = ys.filter((y) => isFloat(y.dtype));
  if (floats.length === 0) throw new InputError("checkGradient: expected an op with an f32 or f16 output");
  const dys = floats.map((y, i) => graph.leaf("input", `@dy${i}`, y.type));
  const wanted = xs.flatMap((x, i) => isFloat(x.dtype) ? [i] : []);
  const [y, dy] = [floats[0]!, dys[0]!];
  const found = floats.length === 1 ? differentiate(y, dy, wanted.map((i) => xs[i]!), add) : differentiate(
    floats.map((each, i) => sum(mul(cast(each, "f32"), cast(dys[i]!, "f32")))).reduce(add),
    graph.leaf("input", ONE, rowMajor([], "f32")),
    wanted.map((i) => xs[i]!),
    add,
  );
  const differentiable = wanted.filter((_, n) => found[n] !== null);
  if (differentiable.length === 0) throw new InputError("checkGradient: the op has no gradient for any of its inputs");
  return { ys: floats, dys, wanted: differentiable, gradients: found.filter((gradient) => gradient !== null) };
}

/** Returns a function that computes the op's outputs on the device, in f32. */
async function deviceOutputs(check: Check) {
  const { ys } = build(check, "f32");
  const runner = await GraphRunner.create(check.device, ys);
  return {
    run: (values: readonly Float64Array[]) => runner.run(new Map(values.map((value, i) => [`@x${i}`, value] as const))),
    free: () => runner.free(),
  };
}

/** Returns the derivative of the weighted sum of outputs with respect to an element. */
async function slopeAt(
  run: (values: readonly Float64Array[]) => Promise<readonly Float64Array[]>,
  values: readonly Float64Array[],
  weights: readonly Float64Array[],
  { i, place, step }: { readonly i: number; readonly place: number; readonly step: number },
): Promise<number> {
  const size = step * 2 ** Math.ceil(Math.log2(Math.max(1, Math.abs(values[i]![place]!))));
  let slope = 0;
  for (const [multiple, weight] of STENCIL) {
    const moved = Float64Array.from(values[i]!);
    moved[place]! += multiple * size;
    const outputs = await run(values.with(i, moved));
    outputs.forEach((output, o) => output.forEach((y, e) => slope += weight * weights[o]![e]! * y));
  }
  return slope / size;
}

/**
 * Calls `run` with options that pick each candidate in turn, for both classes of adapters, and with a function that names
 * them once the graph has been built.
 */
async function everyKernel(
  check: Check,
  run: (options: GraphRunnerOptions, where: () => string) => Promise<void>,
): Promise<void> {
  for (const adapter of ["cpu", "gpu"] as const) {
    let most = 1;
    for (let choice = 0; choice < most; choice++) {
      const names = new Set<string>();
      const pick: NonNullable<GraphRunnerOptions["pick"]> = ({ op, attrs }, candidates) => {
        most = Math.max(most, candidates.length);
        const picked = Math.min(choice, candidates.length - 1);
        if ((op.ownOps?.(attrs) ?? []).length > 0) names.add(candidates[picked]!.name);
        return picked;
      };
      await run(
        { traits: { class: adapter }, pick },
        () => `${[...names].join(", ")} (kernels of ${adapter === "cpu" ? "software adapters" : "GPUs"})`,
      );
      for (const name of names) check.kernels.add(name);
    }
  }
}

/**
 * Compares values and returns the largest error relative to the largest value.
 *
 * @throws {InputError} if it exceeds the tolerance
 */
function compare(
  got: CheckedValues,
  want: CheckedValues,
  tolerance: number,
  nameOf: (at: number) => string,
  scale = Math.max(...Array.from(want, Math.abs)),
): number {
  let [worst, at] = [0, 0];
  for (let i = 0; i < want.length; i++) {
    const error = Math.abs(got[i]! - want[i]!);
    if (error <= worst) continue;
    [worst, at] = [error, i];
    if (Number.isNaN(error)) break;
  }
  if (worst <= tolerance * scale) return scale === 0 ? 0 : worst / scale;
  throw new InputError(
    `checkGradient: ${nameOf(at)} is ${got[at]}, expected ${
      want[at]
    } within ${tolerance} of the largest value, ${scale}`,
  );
}

function inputOf(given: Shape | CheckedInput, i: number): CheckedInput {
  const input: CheckedInput = "shape" in given ? given : { shape: given };
  const { shape, values } = input;
  if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && n > 0)) {
    throw new InputError(`checkGradient: input ${i}: expected a shape such as [2, 3], got ${shown(shape)}`);
  }
  if (values !== undefined && values.length !== sizeOf(shape)) {
    throw new InputError(`checkGradient: input ${i}: ${values.length} values for shape ${formatShape(shape)}`);
  }
  return input;
}

function valuesOf({ shape, values }: CheckedInput, dtype: DType, seed: number): Float64Array {
  return values === undefined ? normals(sizeOf(shape), dtype, seed) : rounded(values, dtype);
}

function normals(n: number, dtype: DType, seed: number): Float64Array {
  const random = new RandomStream(seed);
  return rounded(Array.from({ length: n }, () => random.normal()), dtype);
}

/** Returns the values rounded to `dtype`. */
function rounded(values: CheckedValues, dtype: DType): Float64Array {
  if (!isFloat(dtype)) return Float64Array.from(Int32Array.from(values));
  return Float64Array.from(dtype === "f16" ? Float16Array.from(values) : Float32Array.from(values));
}

/** Returns the outputs of a reference as a list. */
function listed(given: CheckedValues | readonly CheckedValues[], ys: readonly Tensor[]): Float64Array[] {
  const list = typeof given[0] === "number" ? [given as CheckedValues] : given as readonly CheckedValues[];
  ys.forEach((y, i) => {
    if (list[i]?.length === sizeOf(y.shape)) return;
    throw new InputError(
      `checkGradient: the reference returned ${list[i]?.length ?? "no"} values for output ${i}, ${
        formatShape(y.shape)
      }`,
    );
  });
  return list.map((values) => Float64Array.from(values));
}
