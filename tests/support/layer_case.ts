/**
 * Checks of layers with weights against references in double precision, like `op_case.ts` for ops.
 *
 * @module
 */
import { add } from "../../ops/add.ts";
import { applyAmp } from "../../runtime/compile/amp.ts";
import { type DType, type FloatType, isFloat } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import type { Layer } from "../../runtime/nn/layer.ts";
import { evaluate, testDevice } from "./evaluate.ts";
import { full } from "./full.ts";
import { assertClose, classesFor, everyCandidate, normals, rounded, type Values } from "./op_case.ts";

export interface LayerCase {
  readonly name: string;
  readonly layer: Layer;
  readonly shape: Shape;
  readonly dtype?: DType;
  /** Values of the input; the default is draws from the standard normal distribution. */
  readonly values?: Values;
  /** Computes the output from the input `x`, the parameters by name, and running values, which are 1. */
  readonly reference: (values: Readonly<Record<string, Values>>) => Float64Array;
  /** True to check the layer in f16 too, on adapters that have it. */
  readonly half?: boolean;
  /** Largest error relative to the largest value of a tensor, in f32. */
  readonly tolerance?: number;
}

/** Number of elements per tensor whose derivative is checked, and the step of the differences. */
const SAMPLES = 10;
const STEP = 1e-5;

/** Largest error relative to the largest value of a tensor where ops compute in f16. */
const HALF_TOLERANCE = 4e-3;

/**
 * Checks a layer's output, and the gradients of its input and of all its parameters, and returns their shapes by name:
 * in f32, and for `half` with all data and parameters in f16, as in AMP's level O3. The fast set runs default candidates.
 */
export async function checkLayer(test: LayerCase): Promise<Record<string, Shape>> {
  const { name, layer, shape, dtype = "f32", tolerance = 2e-5 } = test;
  const graph = new Graph("train");
  const x = graph.leaf("input", "x", rowMajor(shape, dtype));
  const y = layer(x);
  const program = test.half && (await testDevice()).traits.f16 ? { graph, output: y, loss: null } : null;
  const half = program && applyAmp(program, "O3", new Set()).output;
  const parameters = graph.leaves("parameter");
  const values: Record<string, Values> = { x: test.values ?? rounded(normals(sizeOf(shape), 1), "f32") };
  parameters.forEach((tensor, i) => {
    values[tensor.node.id] = rounded(normals(sizeOf(tensor.shape), 10 + i).map((v) => 0.5 * v), "f32");
  });
  for (const { node, shape } of graph.leaves("state")) values[node.id] = new Array<number>(sizeOf(shape)).fill(1);
  const wanted = [...(isFloat(dtype) ? [x] : []), ...parameters];
  const dy = graph.leaf("input", "dy", y.type);
  const dyValues = rounded(normals(sizeOf(y.shape), 99), "f32");
  const gradients = differentiate(y, dy, wanted, add) as Tensor[];
  const want = test.reference(values);
  const slopes = wanted.map(({ node }) => slopesOf(test, values, node.id, dyValues));
  const leaves = new Map([...Object.entries(values), ["dy", dyValues] as const]);
  const check = (outputs: readonly Tensor[], type: FloatType, most: number) =>
    everyCandidate(async (options, where, remaining) => {
      const which = remaining(outputs);
      const results = await evaluate(which.map((i) => outputs[i]!), leaves, options);
      results.forEach((got, at) => {
        const i = which[at]! - 1;
        if (i < 0) return assertClose(got, want, most, `${name}, ${type}, ${where}: output`);
        const { places, slopes: wantedSlopes } = slopes[i]!;
        const title = `${name}, ${type}, ${where}: gradient of ${wanted[i]!.node.id} at ${places}`;
        assertClose(places.map((at) => got[at]!), wantedSlopes, most, title, 1);
      });
    }, { choices: full ? Infinity : 1, classes: classesFor(type, "nhwc", name) });
  await check([y, ...gradients], "f32", tolerance);
  if (half !== null) {
    await check([half, ...halfGradients(half, wanted)], "f16", HALF_TOLERANCE);
  }
  return Object.fromEntries(parameters.map(({ node, shape }) => [node.id, shape]));
}

/** Returns the gradients of an output of a copied graph with respect to the copies of leaves. */
function halfGradients(y: Tensor, wanted: readonly Tensor[]): Tensor[] {
  const leaves = [...y.graph.leaves("input"), ...y.graph.leaves("parameter")];
  const copies = wanted.map(({ node }) => leaves.find((tensor) => tensor.node.id === node.id)!);
  return differentiate(y, y.graph.leaf("input", "dy", y.type), copies, add) as Tensor[];
}

function slopesOf({ reference }: LayerCase, values: Readonly<Record<string, Values>>, name: string, dy: Values) {
  const places = [...new RandomStream(5).permutation(values[name]!.length)].slice(0, SAMPLES);
  const at = (place: number, by: number) => {
    const moved = Float64Array.from(values[name]!);
    moved[place]! += by;
    return reference({ ...values, [name]: moved }).reduce((sum, value, i) => sum + value * dy[i]!, 0);
  };
  return { places, slopes: places.map((place) => (at(place, STEP) - at(place, -STEP)) / (2 * STEP)) };
}
