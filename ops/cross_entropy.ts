import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { floatType, load } from "./kernels/access.ts";
import { crossEntropyPlan } from "./kernels/cross_entropy.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { rowNumbers } from "./kernels/row_numbers.ts";
import { declare, floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";

export interface CrossEntropyAttrs {
  /** Fraction of the target probability that is spread evenly over all classes, in [0, 1). */
  readonly labelSmoothing: number;
}

/**
 * Mean over rows of -sum_k q_k log p_k, with p = softmax(logits) and q_k = (1 - s) [k = target] + s / classes for label
 * smoothing s, as in PyTorch's `cross_entropy`. With m = max_k x_k and l = log sum_k exp(x_k - m), the loss of a row is
 * l - sum_k q_k (x_k - m).
 *
 * Inputs: logits `[n, classes]`, target i32 `[n]` of class indices; an index out of range counts as the nearest class.
 * Outputs: loss f32 `[1]`; f32 `[2, n]` of m and l, for the gradient.
 */
export const crossEntropyOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy",
  precision: "loss",
  aliases: { nnc: "SoftmaxCrossEntropy" },
  shape(inputs, attrs) {
    const [n] = checkedRows(inputs, attrs);
    return [rowMajor([1], "f32"), rowMajor([2, n], "f32")];
  },
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null, null];
    const [logits, target] = node.inputs as [Tensor, Tensor];
    return [dy.graph.apply(crossEntropyGradOp, node.attrs, [dy, logits, target, outputOf(node, 1)])[0]!, null];
  },
  candidates({ inputs, traits, attrs }) {
    const [n, classes] = rowsOf(inputs[0]!);
    return [
      crossEntropyPlan({ x: inputBuffer(inputs, 0), n, classes, traits, q: targetProbabilities(attrs, classes) }),
    ];
  },
};

/**
 * dlogits = dy (p - q) / n in the logits' type, with p = exp(x - m - l). Inputs: dy f32 `[1]`, logits, target, m and l.
 */
export const crossEntropyGradOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy_grad",
  precision: "loss",
  shape: ([, logits]) => [logits!],
  cost: (inputs, outputs) => ({ flops: 6 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs, outputs, traits, attrs }) {
    const [n, classes] = rowsOf(inputs[1]!);
    return [elementwise({
      name: `cross_entropy_grad.${floatType(inputs[1]!)}`,
      traits,
      type: outputs[0]!,
      inputs: { x: inputBuffer(inputs, 1) },
      outputs: { dx: { ...outputBuffer(outputs, 0), value: "(p - q) * (dy[0] * u.factor)" } },
      buffers: {
        dy: { ref: { input: 0 }, type: "f32" },
        targets: { ref: { input: 2 }, type: "i32" },
        saved: { ref: { input: 3 }, type: "f32" },
      },
      uniforms: { n, classes, factor: { f32: 1 / n }, ...targetProbabilities(attrs, classes) },
      // The last vector may extend past the last row; its surplus lanes read the last row's values
      prelude: `fn hits(row: u32) -> u32 { return u32(clamp(targets[row], 0, i32(u.classes) - 1)); }`,
      statements: `let element = i * 4u + vec4<u32>(0u, 1u, 2u, 3u);
      let row = min(element / u.classes, vec4<u32>(u.n - 1u));
      let largest = vec4<f32>(saved[row.x], saved[row.y], saved[row.z], saved[row.w]);
      let logarithm = vec4<f32>(saved[u.n + row.x], saved[u.n + row.y], saved[u.n + row.z], saved[u.n + row.w]);
      let hit = vec4<u32>(hits(row.x), hits(row.y), hits(row.z), hits(row.w));
      let p = exp((x - largest) - logarithm);
      let q = u.onAll + select(vec4<f32>(0.0), vec4<f32>(u.onTarget), element - row * u.classes == hit);`,
    })];
  },
};

/** Softmax cross-entropy of each row, without a gradient. Inputs: logits, target. Output: f32 `[n]`. */
export const crossEntropyRowsOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy_rows",
  precision: "loss",
  shape: (inputs, attrs) => [rowMajor([checkedRows(inputs, attrs)[0]], "f32")],
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs, traits, attrs }) {
    const x = inputBuffer(inputs, 0);
    const [n, width] = rowsOf(inputs[0]!);
    const at = (index: string) => load("x", index, x.dtype, 1);
    return [rowNumbers({
      name: `cross_entropy_rows.${x.dtype}`,
      reads: { x: declare(x, 1), targets: { ref: { input: 1 }, type: "i32" } },
      ...{ n, width, traits },
      uniforms: targetProbabilities(attrs, width),
      body: `var own = ${at("first")};
  for (var k = member; k < u.width; k += members) { own = max(own, ${at("first + k")}); }
  let largest = rowMax(own, lix);
  var powers = 0.0;
  var others = 0.0;
  for (var k = member; k < u.width; k += members) {
    let z = ${at("first + k")} - largest;
    powers += exp(z);
    others += z;
  }
  powers = rowSum(powers, lix);
  others = rowSum(others, lix);
  let hit = u32(clamp(targets[row], 0, i32(u.width) - 1));
  let y = log(powers) - u.onTarget * (${at("first + hit")} - largest) - u.onAll * others;`,
    })];
  },
};

/** Returns the mean softmax cross-entropy, f32 `[1]`, of logits `[n, classes]` and class indices i32 `[n]`. */
export function crossEntropy(logits: Tensor, target: Tensor, options: Partial<CrossEntropyAttrs> = {}): Tensor {
  return logits.graph.apply(crossEntropyOp, { labelSmoothing: options.labelSmoothing ?? 0 }, [logits, target])[0]!;
}

/** Returns the softmax cross-entropy of each row, f32 `[n]`, of logits `[n, classes]` and class indices i32 `[n]`. */
export function crossEntropyRows(logits: Tensor, target: Tensor, attrs: CrossEntropyAttrs): Tensor {
  return logits.graph.apply(crossEntropyRowsOp, attrs, [logits, target])[0]!;
}

/** Checks the inputs and returns the numbers of rows and classes. */
function checkedRows(
  [logits, target]: readonly TensorType[],
  { labelSmoothing }: CrossEntropyAttrs,
): [number, number] {
  floatOf(logits!, "cross_entropy", "the logits");
  if (logits!.shape.length !== 2) {
    throw new InputError(
      `cross_entropy expects logits [n, classes], got ${formatShape(logits!.shape)}; flatten them`,
    );
  }
  const n = logits!.shape[0]!;
  if (target!.dtype !== "i32" || target!.shape.length !== 1 || target!.shape[0] !== n) {
    throw new InputError(
      `cross_entropy expects one class index per row of the logits ${formatShape(logits!.shape)}, i32[${n}], ` +
        `got ${formatType(target!)}`,
    );
  }
  if (!(labelSmoothing >= 0 && labelSmoothing < 1)) {
    throw new InputError(`cross_entropy expects a labelSmoothing of at least 0 and below 1, got ${labelSmoothing}`);
  }
  return rowsOf(logits!);
}

function rowsOf(logits: TensorType): [number, number] {
  return [logits.shape[0]!, logits.shape[1]!];
}

/** Returns the uniforms `onAll`, the q of every class, and `onTarget`, which the target's class has in addition. */
function targetProbabilities({ labelSmoothing }: CrossEntropyAttrs, classes: number) {
  return { onTarget: { f32: 1 - labelSmoothing }, onAll: { f32: labelSmoothing / classes } };
}
