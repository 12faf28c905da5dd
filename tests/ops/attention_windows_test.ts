/** Tiled attention that reads windows of packed heads as uniforms, in shapes with all numbers of rows per lane. */
import assert from "node:assert/strict";
import { type AttentionAttrs, tiledAttention } from "../../ops/attention.ts";
import { add } from "../../ops/add.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Node, Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import {
  type AttentionLayout,
  attentionReference,
  joinedLayout,
  separateLayout,
} from "../support/attention_reference.ts";
import { candidatesOf, evaluate, testDevice } from "../support/evaluate.ts";
import { assertClose, normals, rounded } from "../support/op_case.ts";

const { traits: own } = await testDevice();
const SIMD: DeviceTraits = { ...DEFAULT_TRAITS, class: "cpu", subgroupSize: 8 };
const TOLERANCE = { f32: 2e-5, f16: 6e-3 };
/** Step of central differences of the reference. */
const STEP = 1e-4;
const SAMPLES = 4;

interface Case {
  /** Shapes of q, k and v, or of the joint tensor. */
  readonly shapes: readonly Shape[];
  readonly attrs: AttentionAttrs;
  readonly layout: AttentionLayout;
  /** Factors on the weights. */
  readonly kept?: (e: number) => number;
}

function separate(q: Shape, k: Shape, v: Shape, more: Partial<AttentionAttrs> = {}): Case {
  const order = more.order ?? "heads";
  const head = order === "heads" ? 1 : 2;
  return {
    shapes: [q, k, v],
    attrs: attrsOf({ heads: q[head]!, kvHeads: k[head]!, ...more }),
    layout: separateLayout(q, k, v, order === "heads" ? "heads" : "positions"),
  };
}

function joined(n: number, t: number, heads: number, kvHeads: number, features: number, causal: boolean): Case {
  return {
    shapes: [[n, t, (heads + 2 * kvHeads) * features]],
    attrs: attrsOf({ order: "joined", heads, kvHeads, causal }),
    layout: joinedLayout(n, t, heads, kvHeads, features),
  };
}

function attrsOf(attrs: Partial<AttentionAttrs> & Pick<AttentionAttrs, "heads" | "kvHeads">): AttentionAttrs {
  return { order: "heads", scale: 0.3, causal: false, window: 0, dropout: 0, key: 0, ...attrs };
}

function withDropout(shape: Shape, p: number): Case {
  const random = new RandomStream(1, 0, 77);
  const [n, heads, t] = shape as [number, number, number];
  const draws = Array.from({ length: n * heads * t * t }, () => random.uniform() < p ? 0 : 1 / (1 - p));
  return { ...separate(shape, shape, shape, { causal: true, dropout: p, key: 77 }), kept: (e) => draws[e]! };
}

const CASES: Readonly<Record<string, Case>> = {
  "four rows per lane, joined, causal": joined(2, 70, 2, 2, 32, true),
  "four rows per lane, groups of heads, joined": joined(2, 33, 4, 2, 8, false),
  "two rows per lane, without a mask": separate([2, 3, 21, 64], [2, 3, 21, 64], [2, 3, 21, 64]),
  "one row per lane, values of other widths": separate([1, 2, 19, 128], [1, 2, 23, 128], [1, 2, 23, 36]),
  "by positions, in a window": separate([3, 37, 2, 32], [3, 37, 2, 32], [3, 37, 2, 32], {
    order: "positions",
    causal: true,
    window: 6,
  }),
  "more queries than keys": separate([1, 2, 70, 16], [1, 1, 9, 16], [1, 1, 9, 8], { causal: true, window: 4 }),
  "fewer queries than keys": separate([1, 2, 5, 16], [1, 2, 41, 16], [1, 2, 41, 16]),
  "heads in several dispatches": separate([1, 3, 130, 64], [1, 3, 130, 64], [1, 3, 130, 64], { causal: true }),
  "dropout": withDropout([2, 2, 37, 16], 0.3),
};

/** Builds the graph: y, dy and the gradients of the inputs. */
function build({ shapes, attrs }: Case, dtype: FloatType): { y: Tensor; gradients: Tensor[] } {
  const graph = new Graph();
  const leaves = shapes.map((shape, i) => graph.leaf("input", `x${i}`, rowMajor(shape, dtype)));
  const y = tiledAttention(leaves, attrs);
  return { y, gradients: differentiate(y, graph.leaf("input", "dy", y.type), leaves, add) as Tensor[] };
}

const pickWindows = (_node: Node, candidates: readonly KernelPlan[]): number =>
  Math.max(0, candidates.findIndex(({ name }) => name.includes(".windows")));

for (const dtype of ["f32", "f16"] as const) {
  for (const [name, c] of Object.entries(CASES)) {
    Deno.test({
      name: `tiled attention ${dtype} by windows and its gradients match the reference: ${name}`,
      ignore: own.subgroupSize !== 8 || (dtype === "f16" && !own.f16),
      async fn() {
        const { y, gradients } = build(c, dtype);
        const inputs = c.shapes.map((shape, i) => rounded(normals(sizeOf(shape), 7 + i), dtype));
        const dy = rounded(normals(sizeOf(y.shape), 99), dtype);
        const reference = (values: readonly ArrayLike<number>[]) => {
          const [q, k, v] = values.length === 1 ? [values[0]!, values[0]!, values[0]!] : values;
          const rule = { ...c.attrs, ...(c.kept === undefined ? {} : { kept: c.kept }) };
          return attentionReference({ q: q!, k: k!, v: v! }, c.layout, rule);
        };
        const leaves = new Map<string, ArrayLike<number>>(inputs.map((values, i) => [`x${i}`, values]));
        leaves.set("dy", dy);
        const [got, ...dxs] = await evaluate([y, ...gradients], leaves, {
          traits: { class: "cpu", subgroupSize: 8 },
          pick: pickWindows,
        });
        assertClose(got!, reference(inputs), TOLERANCE[dtype], "forward");
        const product = (values: readonly ArrayLike<number>[]) => {
          const result = reference(values);
          return dy.reduce((sum, value, i) => sum + value * result[i]!, 0);
        };
        for (const [i, dx] of dxs.entries()) {
          const places = new RandomStream(5 + i).permutation(dx.length).slice(0, SAMPLES);
          const slopes = Array.from(places, (at) => {
            const moved = (by: number) => product(inputs.map((x, j) => j === i ? x.with(at, x[at]! + by) : x));
            return (moved(STEP) - moved(-STEP)) / (2 * STEP);
          });
          const scale = dx.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
          assertClose(Array.from(places, (at) => dx[at]!), slopes, TOLERANCE[dtype], `gradient ${i}`, scale);
        }
      },
    });
  }
}

Deno.test("attention of software adapters with 8 lanes reads windows if its heads fit, and is large enough", () => {
  const plans = (c: Case, traits = SIMD) => candidatesOf(build(c, "f32").y, traits).map(({ name }) => name);
  const gpt = joined(8, 128, 4, 4, 32, true);
  assert.match(plans(gpt)[0]!, /windows\.32x4\.32$/);
  assert.match(plans(joined(1, 65, 3, 3, 64, false))[0]!, /windows\.16x4\.64$/);
  assert.doesNotMatch(plans(joined(8, 8, 2, 2, 8, true))[0]!, /windows/);
  for (const c of [joined(1, 516, 1, 1, 32, true), separate([1, 1, 8, 30], [1, 1, 8, 30], [1, 1, 8, 30])]) {
    for (const name of plans(c)) assert.doesNotMatch(name, /windows/);
  }
  for (const traits of [{ ...SIMD, subgroupSize: null }, DEFAULT_TRAITS]) {
    for (const name of plans(gpt, traits)) assert.doesNotMatch(name, /windows/);
  }
});

Deno.test("every window of attention lies inside its buffer and is aligned", () => {
  for (const [title, c] of Object.entries(CASES)) {
    const { y, gradients } = build(c, "f32");
    const [first] = gradients as [Tensor];
    for (const tensor of [y, first]) {
      const { inputs, outputs } = tensor.node;
      const plan = candidatesOf(tensor, SIMD).find(({ name }) => name.includes(".windows"))!;
      for (const { name, bindings, slices = [] } of plan.kernels) {
        const moving = bindings.filter(({ moves }) => moves);
        for (const offsets of slices) {
          moving.forEach(({ ref, window }, i) => {
            const size = "workspace" in ref
              ? plan.workspace[ref.workspace]!
              : 4 * sizeOf("output" in ref ? outputs[ref.output]!.shape : inputs[ref.input]!.shape);
            assert.ok(
              offsets[i]! + window! <= size,
              `${title}: ${name} binds up to ${offsets[i]! + window!} of ${size}`,
            );
            assert.equal(offsets[i]! % 256, 0, `${title}: ${name}`);
          });
        }
      }
    }
  }
});
