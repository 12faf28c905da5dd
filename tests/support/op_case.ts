/**
 * Checks of ops against references in double precision: forward values directly and gradients by central differences of
 * the reference. They cover every candidate, both classes of adapter, f32 and f16.
 *
 * @module
 */
import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { type DType, type FloatType, isFloat } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Mode, Node, Tensor } from "../../runtime/graph/op.ts";
import { activation, type ImageLayout } from "../../runtime/graph/types.ts";
import { evaluate, type EvaluateOptions, testDevice } from "./evaluate.ts";
import { remainingOutputs } from "./remaining_outputs.ts";

export type Values = ArrayLike<number>;

export interface CaseInput {
  readonly shape: Shape;
  /** Logical values; the default is draws from the standard normal distribution. */
  readonly values?: Values;
  /** Element type; the default is the case's. */
  readonly dtype?: DType;
  /** True to check its gradient; the default for floats. */
  readonly gradient?: boolean;
}

export interface OpCase<K extends string> {
  readonly name: string;
  readonly inputs: Readonly<Record<K, CaseInput>>;
  readonly build: (tensors: Record<K, Tensor>) => Tensor;
  /** Computes the output's logical values from the inputs' logical values. */
  readonly reference: (values: Record<K, Values>) => Values;
  readonly mode?: Mode;
  /** False to check no gradients. */
  readonly gradients?: boolean;
  /** Largest error relative to the largest value of a tensor. The f16 tolerance applies if any tensor is f16. */
  readonly tolerance?: Partial<Record<FloatType, number>>;
  /** Number of random elements per input whose derivative is checked. */
  readonly samples?: number;
  /** Minimum value to which the tolerance is relative, for sums of many numbers that cancel. */
  readonly floor?: number;
  readonly dtypes?: readonly FloatType[];
  /** Maximum number of candidates to check, for kernels that take long to compile. */
  readonly choices?: number;
  /** Step of the differences; small for references with kinks. */
  readonly step?: number;
}

const TOLERANCE: Readonly<Record<FloatType, number>> = { f32: 4e-6, f16: 2e-3 };

export async function checkOp<K extends string>(op: OpCase<K>): Promise<void> {
  const { traits } = await testDevice();
  for (const dtype of op.dtypes ?? ["f32", "f16"]) {
    if (dtype === "f16" && !traits.f16) continue;
    for (const images of imageLayouts(op)) await checkInType(op, dtype, images);
  }
}

/** Returns the layouts that a case's images can have. */
function imageLayouts({ inputs }: OpCase<string>): ImageLayout[] {
  return Object.values(inputs).some(({ shape }) => shape.length === 4) ? ["nhwc", "nchw"] : ["nhwc"];
}

/**
 * Calls `run` with options that select each candidate in turn, for both classes of adapter, and with a function that returns
 * the indices of those outputs that have not run with all of their candidates.
 */
export async function everyCandidate(
  run: (
    options: EvaluateOptions,
    where: string,
    remaining: (outputs: readonly Tensor[]) => number[],
  ) => Promise<void>,
  choices = Infinity,
): Promise<void> {
  for (const deviceClass of ["cpu", "gpu"] as const) {
    const counts = new Map<Node, number>();
    for (let choice = 0; choice < Math.min(Math.max(1, ...counts.values()), choices); choice++) {
      const pick: NonNullable<EvaluateOptions["pick"]> = (node, candidates) => {
        counts.set(node, candidates.length);
        return Math.min(choice, candidates.length - 1);
      };
      const remaining = (outputs: readonly Tensor[]) => remainingOutputs(outputs, counts, choice);
      await run({ traits: { class: deviceClass }, pick }, `${deviceClass}, candidate ${choice}`, remaining);
    }
  }
}

/** Returns `n` draws from the standard normal distribution. */
export function normals(n: number, seed: number): Float64Array {
  const random = new RandomStream(seed);
  return Float64Array.from({ length: n }, () => random.normal());
}

/** Returns `n` distinct multiples of 1 / 64 around 0 in random order; up to 2048 of them are exact in f16. */
export function distinct(n: number, seed: number): Float64Array {
  return Float64Array.from(new RandomStream(seed).permutation(n), (i) => (i - Math.floor(n / 2)) / 64);
}

/** Returns the values rounded to `dtype`. */
export function rounded(values: Values, dtype: DType): Float64Array {
  if (dtype === "f16") return Float64Array.from(Float16Array.from(values));
  return Float64Array.from(dtype === "f32" ? Float32Array.from(values) : values);
}

/** Asserts that errors are at most `tolerance` times the largest magnitude of `want`, or times `floor` if larger. */
export function assertClose(got: Values, want: Values, tolerance: number, where: string, floor = 0): void {
  assert.equal(got.length, want.length, `${where}: length`);
  let scale = floor;
  for (let i = 0; i < want.length; i++) scale = Math.max(scale, Math.abs(want[i]!));
  for (let i = 0; i < want.length; i++) {
    const error = Math.abs(got[i]! - want[i]!);
    if (!(error <= tolerance * scale)) {
      assert.fail(`${where}: element ${i} of ${want.length} is ${got[i]}, expected ${want[i]} (scale ${scale})`);
    }
  }
}

async function checkInType<K extends string>(op: OpCase<K>, dtype: FloatType, images: ImageLayout): Promise<void> {
  const names = Object.keys(op.inputs) as K[];
  const graph = new Graph(op.mode ?? "train", images);
  const types = names.map((name) => op.inputs[name].dtype ?? dtype);
  const values = {} as Record<K, Values>;
  const tensors = {} as Record<K, Tensor>;
  names.forEach((name, i) => {
    const { shape, values: given } = op.inputs[name];
    values[name] = rounded(given ?? normals(sizeOf(shape), 7 + i), types[i]!);
    tensors[name] = graph.leaf("input", name, activation(shape, types[i]!, images));
  });
  const y = op.build(tensors);
  const want = op.reference(values);
  const dyValues = rounded(normals(want.length, 99), y.dtype);
  const dy = graph.leaf("input", "dy", y.type);
  const differentiable = (name: K, i: number) => op.inputs[name].gradient ?? isFloat(types[i]!);
  const wanted = op.gradients === false ? [] : names.filter(differentiable);
  const gradients = wanted.length === 0 ? [] : differentiate(y, dy, wanted.map((name) => tensors[name]), add);
  const missing = wanted.filter((_, i) => gradients[i] === null);
  assert.deepEqual(missing, [], `${op.name}: inputs without gradient`);
  const derivatives = wanted.map((name) => slope(op, values, name, dyValues));
  const coarsest = [...types, y.dtype].includes("f16") ? "f16" : "f32";
  const tolerance = op.tolerance?.[coarsest] ?? TOLERANCE[coarsest];
  const leaves = new Map<string, Values>([...names.map((name) => [name, values[name]] as const), ["dy", dyValues]]);
  const outputs = [y, ...gradients as Tensor[]];
  await everyCandidate(async (options, where, remaining) => {
    const title = `${op.name}, ${dtype}, ${images === "nchw" ? "NCHW, " : ""}${where}`;
    const which = remaining(outputs);
    const results = await evaluate(which.map((i) => outputs[i]!), leaves, options);
    results.forEach((got, at) => {
      const i = which[at]! - 1;
      if (i < 0) return assertClose(got, want, tolerance, `${title}: output`);
      const [name, { places, slopes }] = [wanted[i]!, derivatives[i]!];
      assert.equal(got.length, values[name].length, `${title}: size of the gradient of ${name}`);
      const where = `${title}: gradient of ${name} at ${places}`;
      assertClose(places.map((at) => got[at]!), slopes, tolerance, where, op.floor);
    });
  }, op.choices);
}

/** Returns derivatives of sum(dy y) by central differences of the reference, for random elements of an input. */
function slope<K extends string>(
  op: OpCase<K>,
  values: Record<K, Values>,
  name: K,
  dy: Values,
): { places: number[]; slopes: number[] } {
  const places = [...new RandomStream(5).permutation(values[name].length)].slice(0, op.samples ?? 48);
  const slopes = places.map((at) => {
    const step = (op.step ?? 2e-5) * Math.max(1, Math.abs(values[name][at]!));
    const shifted = (by: number) => {
      const moved = Float64Array.from(values[name]);
      moved[at]! += by;
      return op.reference({ ...values, [name]: moved });
    };
    const [above, below] = [shifted(step), shifted(-step)];
    let sum = 0;
    for (let i = 0; i < dy.length; i++) sum += dy[i]! * (above[i]! - below[i]!);
    return sum / (2 * step);
  });
  return { places, slopes };
}
