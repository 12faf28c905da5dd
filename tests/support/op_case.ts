/**
 * Checks of ops against references in double precision: forward values directly and gradients by central differences of
 * the reference. The full set of tests covers every candidate in both classes of adapter, f32 and f16.
 *
 * @module
 */
import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { type DType, type FloatType, isFloat } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Mode, Node, Tensor } from "../../runtime/graph/op.ts";
import { activation, type ImageLayout } from "../../runtime/graph/types.ts";
import { candidatesToCheck } from "./checked_candidates.ts";
import { evaluate, type EvaluateOptions, testDevice } from "./evaluate.ts";
import { full } from "./full.ts";
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
  /** Number of random elements per input whose derivative is checked, at most {@linkcode SAMPLES}, the default. */
  readonly samples?: number;
  /** Minimum value to which the tolerance is relative, for sums of many numbers that cancel. */
  readonly floor?: number;
  readonly dtypes?: readonly FloatType[];
  /** Maximum number of candidates to check, for kernels that take long to compile. */
  readonly choices?: number;
  /** Step of the differences; small for references with kinks. */
  readonly step?: number;
}

type DeviceClass = DeviceTraits["class"];

export const CLASSES: readonly DeviceClass[] = ["cpu", "gpu"];

const TOLERANCE: Readonly<Record<FloatType, number>> = { f32: 4e-6, f16: 2e-3 };

/** Number of random elements per input whose derivative is checked. */
const SAMPLES = full ? 48 : 8;

/** Number of directions in which the whole gradient of an input is checked. */
const DIRECTIONS = 2;

export async function checkOp<K extends string>(op: OpCase<K>): Promise<void> {
  const { traits } = await testDevice();
  for (const dtype of op.dtypes ?? ["f32", "f16"]) {
    if (dtype === "f16" && !traits.f16) continue;
    for (const images of imageLayouts(op)) {
      if (!full && dtype === "f16" && images === "nchw") continue; // each has run separately
      await checkInType(op, dtype, images, classesFor(dtype, images, op.name));
    }
  }
}

/**
 * Returns the classes of adapters whose kernels a case checks: both in the full set. In the fast set f32 and NHWC have one,
 * which depends on the case's name, and f16 or NCHW, which share the code around their loads and stores, the other.
 */
export function classesFor(dtype: FloatType, images: ImageLayout, name: string): readonly DeviceClass[] {
  if (full) return CLASSES;
  const sum = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return [CLASSES[(dtype === "f32" ? sum : sum + 1) % 2 ^ (images === "nhwc" ? 0 : 1)]!];
}

/** Returns the layouts that a case's images can have. */
function imageLayouts({ inputs }: OpCase<string>): ImageLayout[] {
  return Object.values(inputs).some(({ shape }) => shape.length === 4) ? ["nhwc", "nchw"] : ["nhwc"];
}

/**
 * Calls `run` with options that select each candidate to check in turn, for both classes of adapter by default, and with
 * a function that returns the indices of those outputs that have not run with all of these candidates.
 */
export async function everyCandidate(
  run: (
    options: EvaluateOptions,
    where: string,
    remaining: (outputs: readonly Tensor[]) => number[],
  ) => Promise<void>,
  { choices = Infinity, classes = CLASSES }: {
    /** Maximum number of candidates. */
    readonly choices?: number | undefined;
    readonly classes?: readonly DeviceClass[];
  } = {},
): Promise<void> {
  const device = await testDevice();
  for (const deviceClass of classes) {
    const counts = new Map<Node, number>();
    const toCheck = candidatesToCheck(device, choices);
    for (let choice = 0; choice < Math.max(1, ...counts.values()); choice++) {
      const pick: NonNullable<EvaluateOptions["pick"]> = (node, candidates) => {
        const indices = toCheck(candidates);
        counts.set(node, indices.length);
        return indices[Math.min(choice, indices.length - 1)]!;
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

async function checkInType<K extends string>(
  op: OpCase<K>,
  dtype: FloatType,
  images: ImageLayout,
  classes: readonly DeviceClass[],
): Promise<void> {
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
  const derivatives = wanted.map((name) => derivativesOf(op, values, name, dyValues));
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
      const [name, { places, slopes, directions }] = [wanted[i]!, derivatives[i]!];
      assert.equal(got.length, values[name].length, `${title}: size of the gradient of ${name}`);
      const where = `${title}: gradient of ${name}`;
      assertClose(places.map((at) => got[at]!), slopes, tolerance, `${where} at ${places}`, op.floor);
      // Independent errors of n elements add up to sqrt(n) times one of them
      const scale = got.reduce((most, value) => Math.max(most, Math.abs(value)), op.floor ?? 0) * Math.sqrt(got.length);
      for (const { signs, slope } of directions) {
        const along = got.reduce((sum, value, at) => sum + signs[at]! * value, 0);
        const error = Math.abs(along - slope);
        assert.ok(error <= tolerance * scale, `${where} along a direction is ${along}, expected ${slope}`);
      }
    });
  }, { choices: op.choices, classes });
}

interface Derivatives {
  readonly places: readonly number[];
  /** Derivatives by the element at each place. */
  readonly slopes: readonly number[];
  /** Derivatives along vectors of 1 and -1, to which each element adds. */
  readonly directions: readonly { readonly signs: Float64Array; readonly slope: number }[];
}

/** Returns derivatives of sum(dy y) by central differences of the reference, for an input. */
function derivativesOf<K extends string>(
  op: OpCase<K>,
  values: Record<K, Values>,
  name: K,
  dy: Values,
): Derivatives {
  const random = new RandomStream(5);
  const { length } = values[name];
  const slope = (step: number, direction: (i: number) => number) => {
    const shifted = (by: number) =>
      op.reference({ ...values, [name]: Float64Array.from(values[name], (value, i) => value + by * direction(i)) });
    const [above, below] = [shifted(step), shifted(-step)];
    let sum = 0;
    for (let i = 0; i < dy.length; i++) sum += dy[i]! * (above[i]! - below[i]!);
    return sum / (2 * step);
  };
  const step = op.step ?? 2e-5;
  const places = [...random.permutation(length)].slice(0, Math.min(op.samples ?? SAMPLES, SAMPLES));
  return {
    places,
    slopes: places.map((place) =>
      slope(step * Math.max(1, Math.abs(values[name][place]!)), (i) => i === place ? 1 : 0)
    ),
    directions: Array.from({ length: DIRECTIONS }, () => {
      const signs = Float64Array.from({ length }, () => random.below(2) === 0 ? -1 : 1);
      return { signs, slope: slope(step, (i) => signs[i]!) };
    }),
  };
}
