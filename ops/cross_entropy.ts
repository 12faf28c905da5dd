import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import { defineKernel, type KernelOptions, LINEAR_INDEX, linearGrid } from "../runtime/device/kernel.ts";
import type { OpDef } from "../runtime/graph/op.ts";
import type { Tensor } from "../runtime/graph/tensor.ts";
import { formatType, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { floatType, load } from "./kernels/access.ts";
import { elementwise } from "./kernels/elementwise.ts";
import type { FloatBuffer } from "./kernels/float_buffer.ts";
import { finalSum, sumLanes } from "./kernels/sum.ts";
import { powerOfTwoBelow, type Team, TEAM_SIZE, teamFold, teamSum } from "./kernels/team.ts";
import { declare, floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";

export interface CrossEntropyAttrs {
  /** Part of the target probability that is spread evenly over all classes, in [0, 1). */
  readonly labelSmoothing: number;
}

const WORKGROUP = 64;

/**
 * Mean over rows of -sum_k q_k log p_k, with p = softmax(logits) and q_k = (1 - s) [k = target] + s / classes for label
 * smoothing s, as PyTorch's `cross_entropy`. With m = max_k x_k and l = log sum_k exp(x_k - m) a row's loss is
 * l - sum_k q_k (x_k - m).
 *
 * Inputs: logits `[n, classes]`, target i32 `[n]`, class indices; one out of range counts as the nearest class. Outputs:
 * loss f32 `[1]`; m and l, f32 `[2, n]`, for the gradient.
 */
export const crossEntropyOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy",
  dtypeRule: "loss",
  shape([logits, target], { labelSmoothing }) {
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
    return [rowMajor([1], "f32"), rowMajor([2, n], "f32")];
  },
  cost: (inputs, outputs) => ({ flops: 5 * sizeOf(inputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null, null];
    const [logits, target] = node.inputs as [Tensor, Tensor];
    return [dy.graph.apply(crossEntropyGradOp, node.attrs, [dy, logits, target, outputOf(node, 1)])[0]!, null];
  },
  candidates({ inputs, traits, attrs }) {
    const x = inputBuffer(inputs, 0);
    const [n, classes] = rowsOf(inputs[0]!);
    const lanes = sumLanes(n, traits);
    const team = traits.class === "cpu" ? null : teamOfRow(classes);
    const size = team?.members ?? WORKGROUP;
    const rows = defineKernel({
      name: `cross_entropy.${x.dtype}`,
      buffers: {
        x: declare(x, 1),
        targets: { ref: { input: 1 }, type: "i32" },
        saved: { ref: { output: 1 }, type: "f32" },
        parts: { ref: { workspace: 0 }, type: "f32" },
      },
      uniforms: { n, classes, lanes, ...targetProbabilities(attrs, classes) },
      workgroupSize: [size],
      grid: linearGrid(lanes * (team?.members ?? 1), size, traits.maxWorkgroupsPerDimension),
      ...(team === null ? { body: rowsOfALane(x) } : rowsOfATeam(x, team)),
    });
    const mean = finalSum({ parts: { workspace: 0 }, sum: { output: 0 }, lanes, scale: 1 / n, traits });
    return [{ name: rows.name, kernels: [rows, mean], workspace: [lanes * 4] }];
  },
};

/** Each lane takes rows by itself. */
function rowsOfALane({ dtype }: FloatBuffer): string {
  const at = (index: string) => load("x", index, dtype, 1);
  return `  let lane = ${LINEAR_INDEX(WORKGROUP)};
  if (lane >= u.lanes) { return; }
  var loss = 0.0;
  for (var row = lane; row < u.n; row += u.lanes) {
    let first = row * u.classes;
    var largest = ${at("first")};
    for (var k = 1u; k < u.classes; k++) { largest = max(largest, ${at("first + k")}); }
    var powers = 0.0;
    var others = 0.0;
    for (var k = 0u; k < u.classes; k++) {
      let z = ${at("first + k")} - largest;
      powers += exp(z);
      others += z;
    }
    let logarithm = log(powers);
    let hit = u32(clamp(targets[row], 0, i32(u.classes) - 1));
    loss += logarithm - u.onTarget * (${at("first + hit")} - largest) - u.onAll * others;
    saved[row] = largest;
    saved[u.n + row] = logarithm;
  }
  parts[lane] = loss;`;
}

/** Invocations of a GPU's workgroup, which takes rows: a subgroup's or more, each with some four classes. */
function teamOfRow(classes: number): Team {
  return { columns: 1, members: Math.max(32, powerOfTwoBelow(Math.min(TEAM_SIZE, Math.max(1, classes / 4)))) };
}

/** Each workgroup takes rows by itself, its members classes in turns. */
function rowsOfATeam({ dtype }: FloatBuffer, team: Team): Pick<KernelOptions, "prelude" | "body"> {
  const at = (index: string) => load("x", index, dtype, 1);
  const eachClass = `for (var k = lix; k < u.classes; k += ${team.members}u)`;
  return {
    prelude: `${teamFold("teamMax", team, "f32", (a, b) => `max(${a}, ${b})`)}
${teamSum(team, "vec2<f32>")}`,
    body: `  let lane = wid.y * grid.x + wid.x;
  if (lane >= u.lanes) { return; }
  var loss = 0.0;
  for (var row = lane; row < u.n; row += u.lanes) {
    let first = row * u.classes;
    var own = ${at("first")};
    ${eachClass} { own = max(own, ${at("first + k")}); }
    let largest = teamMax(own, lix);
    // of the powers and of the differences
    var sums = vec2<f32>();
    ${eachClass} {
      let z = ${at("first + k")} - largest;
      sums += vec2<f32>(exp(z), z);
    }
    sums = teamSum(sums, lix);
    let logarithm = log(sums.x);
    let hit = u32(clamp(targets[row], 0, i32(u.classes) - 1));
    loss += logarithm - u.onTarget * (${at("first + hit")} - largest) - u.onAll * sums.y;
    if (lix == 0u) {
      saved[row] = largest;
      saved[u.n + row] = logarithm;
    }
  }
  if (lix == 0u) { parts[lane] = loss; }`,
  };
}

/**
 * dlogits = dy (p - q) / n in the logits' type, with p = exp(x - m - l). Inputs: dy f32 `[1]`, logits, target, m and l.
 */
export const crossEntropyGradOp: OpDef<CrossEntropyAttrs> = {
  type: "cross_entropy_grad",
  dtypeRule: "loss",
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
      // the last vector may reach past the last row: its surplus lanes read the last row's values
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

/** Mean softmax cross-entropy of logits `[n, classes]` against class indices i32 `[n]`: f32 `[1]`. */
export function crossEntropy(logits: Tensor, target: Tensor, options: Partial<CrossEntropyAttrs> = {}): Tensor {
  return logits.graph.apply(crossEntropyOp, { labelSmoothing: options.labelSmoothing ?? 0 }, [logits, target])[0]!;
}

function rowsOf(logits: TensorType): [number, number] {
  return [logits.shape[0]!, logits.shape[1]!];
}

/** q of the target beyond that of every class, and q of every class. */
function targetProbabilities({ labelSmoothing }: CrossEntropyAttrs, classes: number) {
  return { onTarget: { f32: 1 - labelSmoothing }, onAll: { f32: labelSmoothing / classes } };
}
