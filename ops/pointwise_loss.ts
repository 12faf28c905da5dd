import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../runtime/core/shape.ts";
import type { UniformValue } from "../runtime/device/kernel.ts";
import type { OpDef, OpFacts } from "../runtime/graph/op.ts";
import { rowMajor, type TensorType } from "../runtime/graph/types.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { gradientAliases } from "./gradient_aliases.ts";
import { gather } from "./kernels/access.ts";
import { flatRows, partialWalk } from "./kernels/channel_rows.ts";
import { rowsKernel } from "./kernels/rows_kernel.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { stepLoop } from "./kernels/loop_limit.ts";
import { elementsOf, rowNumbers } from "./kernels/row_numbers.ts";
import { finalSum } from "./kernels/sum.ts";
import { declare, floatOf, inputBuffer, outputBuffer, variantName } from "./kernels/tensors.ts";

/** A loss of a prediction `a` and its target `b`, with its derivative. Expressions are WGSL over `vec4<f32>`. */
export interface PointwiseLossOptions<A> {
  /** Name of the op; its gradient is `<type>_grad`. */
  readonly type: string;
  readonly aliases?: OpFacts["aliases"];
  /** Fields of `u` that the expressions read. */
  readonly uniforms?: (attrs: A) => Readonly<Record<string, UniformValue>>;
  /** Functions that the expressions call. */
  readonly prelude?: readonly string[];
  /** Statements before the value. */
  readonly statements?: string;
  readonly value: string;
  /** Derivative with respect to `a`, divided by `factor`. `factor` defaults to 1. */
  readonly slope: { readonly value: string; readonly factor?: number };
  /** Floating-point operations per element, forward and backward. */
  readonly flops: readonly [number, number];
}

/** The mean of a pointwise loss, with the op of its gradient and the op of the mean per sample. */
export interface PointwiseLossOp<A> extends OpDef<A> {
  readonly gradientOp: OpDef<A>;
  readonly rowsOp: OpDef<A>;
}

/**
 * Defines a loss that is a mean over all elements, f32 `[1]`. Inputs: prediction, and a target of the same shape, which
 * has no gradient.
 */
export function pointwiseLoss<A = NoAttrs>(options: PointwiseLossOptions<A>): PointwiseLossOp<A> {
  const { type, statements, value, slope, flops } = options;
  const prelude = (options.prelude ?? []).join("\n");

  /** da = dy factor slope / n in a's type. Inputs: dy `[1]`, a, b. */
  const gradientOp: OpDef<A> = {
    type: `${type}_grad`,
    precision: "loss",
    aliases: gradientAliases(options.aliases),
    shape: ([, a]) => [a!],
    cost: (inputs, outputs) => ({
      flops: flops[1] * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    candidates: ({ inputs, outputs, traits, attrs }) => [elementwise({
      name: `${type}_grad`,
      traits,
      type: outputs[0]!,
      inputs: { a: inputBuffer(inputs, 1), b: inputBuffer(inputs, 2) },
      outputs: { da: { ...outputBuffer(outputs, 0), value: `(${slope.value}) * (dy[0] * u.factor)` } },
      buffers: { dy: { ref: { input: 0 }, type: "f32" } },
      uniforms: { factor: { f32: (slope.factor ?? 1) / sizeOf(outputs[0]!.shape) }, ...options.uniforms?.(attrs) },
      prelude,
    })],
  };

  /** Mean per sample, without a gradient. Inputs: prediction, target. Output: f32 `[n]`. */
  const rowsOp: OpDef<A> = {
    type: `${type}_rows`,
    precision: "loss",
    shape(inputs) {
      checkInputs(type, inputs);
      return [rowMajor([inputs[0]!.shape[0]!], "f32")];
    },
    cost: (inputs, outputs) => ({
      flops: flops[0] * sizeOf(inputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    candidates({ inputs, traits, attrs }) {
      const [a, b] = [inputBuffer(inputs, 0), inputBuffer(inputs, 1)];
      const n = inputs[0]!.shape[0]!;
      const width = sizeOf(inputs[0]!.shape) / n;
      const places = ["at.x", "at.y", "at.z", "at.w"] as const;
      const elements = elementsOf(width, 1, traits, 4);
      return [rowNumbers({
        name: `${type}_rows.${variantName({ a, b }, 1)}${elements.step === 1 ? "" : `.x${elements.step}`}`,
        reads: { a_: declare(a, 1), b_: declare(b, 1) },
        ...{ n, width, traits },
        uniforms: { scale: { f32: 1 / width }, ...options.uniforms?.(attrs) },
        prelude: `alias V = vec4<f32>;\n${prelude}`,
        body: `var sum = 0.0;
  ${
          stepLoop(elements, (k) =>
            `let places = ${k} + vec4<u32>(0u, 1u, 2u, 3u);
    let at = first + min(places, vec4<u32>(u.width - 1u));
    let a = ${gather("a_", places, a.dtype)};
    let b = ${gather("b_", places, b.dtype)};
    ${statements ?? ""}
    sum += dot(select(V(0.0), ${value}, places < vec4<u32>(u.width)), V(1.0));`)
        }
  let y = rowSum(sum, seat) * u.scale;`,
      })];
    },
  };

  return {
    type,
    precision: "loss",
    aliases: options.aliases ?? {},
    gradientOp,
    rowsOp,
    shape(inputs) {
      checkInputs(type, inputs);
      return [rowMajor([1], "f32")];
    },
    cost: (inputs, outputs) => ({
      flops: flops[0] * sizeOf(inputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    gradient(node, [dy], needs) {
      if (!dy || !needs[0]) return [null, null];
      return [dy.graph.apply(gradientOp, node.attrs, [dy, ...node.inputs])[0]!, null];
    },
    candidates({ inputs, traits, attrs }) {
      const n = sizeOf(inputs[0]!.shape);
      const shape = flatRows(n);
      const walk = partialWalk(shape, traits);
      const buffers = { a: inputBuffer(inputs, 0), b: inputBuffer(inputs, 1) };
      const name = `${type}.${variantName(buffers, 4)}`;
      const partial = rowsKernel({
        name,
        shape,
        traits,
        walk,
        reads: buffers,
        writes: {},
        buffers: { parts: { ref: { workspace: 0 }, type: "f32" } },
        uniforms: { n, ...options.uniforms?.(attrs) },
        prelude,
        variables: ["sum"],
        before: ({ sum }) => `var ${sum} = V(0.0);`,
        each: ({ sum }) =>
          `${statements === undefined ? "" : `${statements}\n    `}` +
          `${sum} += select(V(0.0), ${value}, i * 4u + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(u.n));`,
        sums: ["sum"],
        after: ({ sum }) => `parts[lane] = (${sum}.x + ${sum}.y) + (${sum}.z + ${sum}.w);`,
      });
      const total = finalSum({ parts: { workspace: 0 }, sum: { output: 0 }, lanes: walk.lanes, scale: 1 / n, traits });
      return [{ name, kernels: [partial, total], workspace: [walk.lanes * 4] }];
    },
  };
}

function checkInputs(type: string, [prediction, target]: readonly TensorType[]): void {
  floatOf(prediction!, type, "the prediction");
  floatOf(target!, type, "the target");
  if (!sameShape(prediction!.shape, target!.shape)) {
    throw new InputError(
      `${type} expects prediction and target of the same shape, got ${formatShape(prediction!.shape)} and ` +
        `${formatShape(target!.shape)}; reshape one of them`,
    );
  }
  if (prediction!.layout !== target!.layout) throw new Error(`${type}: layouts differ`);
}
