import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { formatType, isImages, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { floatType, load } from "./kernels/access.ts";
import { type ClassTargets, classWeight, rowLoss, targetsName, targetUniforms } from "./kernels/class_targets.ts";
import { crossEntropyPlan } from "./kernels/cross_entropy.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { stepLoop } from "./kernels/loop_limit.ts";
import { elementsOf, rowNumbers } from "./kernels/row_numbers.ts";
import { declare, floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";
import { toLayout } from "./to_layout.ts";

export type CrossEntropyAttrs = ClassTargets;

/** Maximum number of class weights: kernels read them from a uniform buffer of 64 KiB. */
const MAX_WEIGHTS = 16_000;

/** Class index that `cross_entropy` ignores by default, as in PyTorch. */
export const IGNORE_INDEX = -100;

/**
 * Weighted mean over rows of -sum_k q_k log p_k, with p = softmax(logits) and, for label smoothing s and class weights w,
 * q_k = w_k ((1 - s) [k = target] + s / classes); the weight of a row is that of its target, and 0 if the target is
 * `ignoreIndex`. These are the semantics of PyTorch's `cross_entropy`. With m = max_k x_k and l = log sum_k exp(x_k - m),
 * the loss of a row is l sum_k q_k - sum_k q_k (x_k - m).
 *
 * Inputs: logits `[n, ..., classes]` or images `[n, classes, h, w]`, target i32 without the dimension of the classes; an
 * index out of range counts as the nearest class. Outputs: loss f32 `[1]`; f32 `[2, rows]` of m and l, for the gradient;
 * the sum of the weights of the rows, f32 `[1]`.
 */
export const crossEntropyOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy",
  precision: "loss",
  aliases: {
    singa: "ComputeCrossEntropy",
    nnc: "SoftmaxCrossEntropy",
    paddle: "softmax_with_cross_entropy",
    mindinsight: "SparseSoftmaxCrossEntropyWithLogits",
  },
  shape(inputs, attrs) {
    const [n] = checkedRows(inputs, attrs);
    return [rowMajor([1], "f32"), rowMajor([2, n], "f32"), rowMajor([1], "f32")];
  },
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null, null];
    const inputs = [dy, ...node.inputs, outputOf(node, 1), outputOf(node, 2)];
    return [dy.graph.apply(crossEntropyGradOp, node.attrs, inputs)[0]!, null];
  },
  candidates({ inputs, traits, attrs }) {
    const [n, classes] = rowsOf(inputs[0]!);
    return [crossEntropyPlan({ x: inputBuffer(inputs, 0), n, classes, traits, targets: attrs })];
  },
};

/**
 * dlogits = dy (p sum_k q_k - q) / (sum of weights) in the logits' type, with p = exp(x - m - l); 0 in ignored rows. Inputs:
 * dy f32 `[1]`, logits, target, m and l, the sum of the weights.
 */
export const crossEntropyGradOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy_grad",
  precision: "loss",
  aliases: {
    singa: "SoftmaxCrossEntropyBackward",
    paddle: "softmax_with_cross_entropy_grad",
    mindinsight: "SparseSoftmaxCrossEntropyWithLogits",
  },
  shape: ([, logits]) => [logits!],
  cost: (inputs, outputs) => ({ flops: 6 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs, outputs, traits, attrs }) {
    const [n, classes] = rowsOf(inputs[1]!);
    const lanes = (code: (lane: string) => string) => `(${["x", "y", "z", "w"].map(code).join(", ")})`;
    const weighted = attrs.weight !== null;
    return [elementwise({
      name: `cross_entropy_grad.${floatType(inputs[1]!)}${targetsName(attrs)}`,
      traits,
      type: outputs[0]!,
      inputs: { x: inputBuffer(inputs, 1) },
      outputs: {
        dx: { ...outputBuffer(outputs, 0), value: "select(vec4<f32>(0.0), (p - q) * (dy[0] / counted[0]), valid)" },
      },
      buffers: {
        dy: { ref: { input: 0 }, type: "f32" },
        targets: { ref: { input: 2 }, type: "i32" },
        saved: { ref: { input: 3 }, type: "f32" },
        counted: { ref: { input: 4 }, type: "f32" },
      },
      uniforms: { n, classes, ...targetUniforms(attrs, classes) },
      // The last vector may extend past the last row; its surplus lanes read the last row's values
      statements: `let element = i * 4u + vec4<u32>(0u, 1u, 2u, 3u);
      let row = min(element / u.classes, vec4<u32>(u.n - 1u));
      let class_ = element - row * u.classes;
      let largest = vec4<f32>${lanes((lane) => `saved[row.${lane}]`)};
      let logarithm = vec4<f32>${lanes((lane) => `saved[u.n + row.${lane}]`)};
      let target_ = vec4<i32>${lanes((lane) => `targets[row.${lane}]`)};
      let valid = target_ != vec4<i32>(u.ignored);
      let hit = vec4<u32>(clamp(target_, vec4<i32>(0), vec4<i32>(i32(u.classes) - 1)));
      ${
        weighted
          ? `let onHit = u.onTarget * vec4<f32>${lanes((lane) => classWeight(attrs, `hit.${lane}`))};
      let onAll = u.onAll * vec4<f32>${lanes((lane) => classWeight(attrs, `min(class_.${lane}, u.classes - 1u)`))};
      let p = exp((x - largest) - logarithm) * (onHit + u.smoothed);`
          : `let onHit = vec4<f32>(u.onTarget);
      let onAll = u.onAll;
      let p = exp((x - largest) - logarithm);`
      }
      let q = onAll + select(vec4<f32>(0.0), onHit, class_ == hit);`,
    })];
  },
};

/** Weighted softmax cross-entropy of each row, and its weight, without a gradient. Inputs: logits, target. Outputs: f32 like the target. */
export const crossEntropyRowsOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy_rows",
  precision: "loss",
  shape(inputs, attrs) {
    checkedRows(inputs, attrs);
    const rows = rowMajor(inputs[1]!.shape, "f32");
    return [rows, rows];
  },
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  candidates({ inputs, traits, attrs }) {
    const x = inputBuffer(inputs, 0);
    const [n, classes] = rowsOf(inputs[0]!);
    const at = (index: string) => load("x", index, x.dtype, 1);
    const elements = elementsOf(classes, 2, traits);
    const element = elements.step === 1 ? "k" : "min(k, u.width - 1u)";
    return [rowNumbers({
      name: `cross_entropy_rows.${x.dtype}${targetsName(attrs)}${elements.step === 1 ? "" : `.x${elements.step}`}`,
      reads: { x: declare(x, 1), targets: { ref: { input: 1 }, type: "i32" } },
      ...{ n, width: classes, traits },
      uniforms: { classes, ...targetUniforms(attrs, classes) },
      results: ["value", "counted"],
      body: `var own = ${at("first")};
  ${stepLoop(elements, () => `own = max(own, ${at(`first + ${element}`)});`)}
  let largest = rowMax(own, seat);
  var powers = 0.0;
  var others = 0.0;
  ${
        stepLoop(elements, (_, kept) =>
          `let z = ${at(`first + ${element}`)} - largest;
    powers += ${kept("exp(z)", "0.0")};
    others += ${kept(`${classWeight(attrs, element)} * z`, "0.0")};`)
      }
  powers = rowSum(powers, seat);
  others = rowSum(others, seat);
  let logarithm = log(powers);
  ${rowLoss(attrs, "targets[row]", (index) => `${at(`first + ${index}`)} - largest`)}`,
    })];
  },
};

/**
 * Returns the mean softmax cross-entropy, f32 `[1]`, of logits `[n, ..., classes]` and class indices i32 `[n, ...]`, or of
 * images `[n, classes, h, w]` and `[n, h, w]`, with PyTorch's semantics.
 */
export function crossEntropy(logits: Tensor, target: Tensor, options: Partial<CrossEntropyAttrs> = {}): Tensor {
  return logits.graph.apply(crossEntropyOp, attrsOf(options), [classesLast(logits), target])[0]!;
}

/** Returns the weighted cross-entropy of each row and the weights of the rows, both f32 of the target's shape. */
export function crossEntropyRows(
  logits: Tensor,
  target: Tensor,
  options: Partial<CrossEntropyAttrs> = {},
): [loss: Tensor, weight: Tensor] {
  const [loss, weight] = logits.graph.apply(crossEntropyRowsOp, attrsOf(options), [classesLast(logits), target]);
  return [loss!, weight!];
}

/** Returns images with the classes of a pixel next to each other; others are returned as they are. */
export function classesLast(logits: Tensor): Tensor {
  return isImages(logits.type) ? toLayout(logits, "nhwc") : logits;
}

function attrsOf({ labelSmoothing = 0, ignoreIndex = IGNORE_INDEX, weight = null }: Partial<CrossEntropyAttrs>) {
  return { labelSmoothing, ignoreIndex, weight };
}

/** Returns the dimension of the classes: 1 for images, else the last. */
export function classAxis(logits: TensorType): number {
  return isImages(logits) ? 1 : logits.shape.length - 1;
}

/** Returns the shape of the targets for logits: without the dimension of the classes. */
export function targetShape(logits: TensorType): Shape {
  return logits.shape.toSpliced(classAxis(logits), 1);
}

/** Checks the inputs and returns the numbers of rows and classes. */
function checkedRows(
  [logits, target]: readonly TensorType[],
  { labelSmoothing, weight }: CrossEntropyAttrs,
): [number, number] {
  floatOf(logits!, "cross_entropy", "the logits");
  if (logits!.shape.length < 2) {
    throw new InputError(`cross_entropy expects logits [n, ..., classes], got ${formatShape(logits!.shape)}`);
  }
  const wanted = targetShape(logits!);
  if (target!.dtype !== "i32" || !sameShape(target!.shape, wanted)) {
    const fix = target!.dtype === "i32" && target!.shape.length === 1
      ? "; for one class per sample, flatten or pool the logits to [n, classes]"
      : "";
    throw new InputError(
      `cross_entropy expects one class index per row of the logits ${formatShape(logits!.shape)}, ` +
        `i32${formatShape(wanted)}, got ${formatType(target!)}${fix}`,
    );
  }
  if (!(labelSmoothing >= 0 && labelSmoothing < 1)) {
    throw new InputError(`cross_entropy expects a labelSmoothing of at least 0 and below 1, got ${labelSmoothing}`);
  }
  const [n, classes] = rowsOf(logits!);
  if (weight !== null && (weight.length !== classes || classes > MAX_WEIGHTS)) {
    throw new InputError(
      weight.length === classes
        ? `cross_entropy takes weights of at most ${MAX_WEIGHTS} classes, got ${classes}`
        : `cross_entropy expects a weight for each of the ${classes} classes of the logits ` +
          `${formatShape(logits!.shape)}, got ${weight.length} weights`,
    );
  }
  return [n, classes];
}

function rowsOf(logits: TensorType): [number, number] {
  const n = sizeOf(targetShape(logits));
  return [n, sizeOf(logits.shape) / n];
}
