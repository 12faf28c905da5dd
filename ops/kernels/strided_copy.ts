/**
 * Kernels that move elements: each output vector is read through a view, or lies in one of several inputs, or may be
 * outside of the input.
 *
 * @module
 */
import type { DType } from "../../runtime/core/dtype.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import {
  type BufferDeclaration,
  defineKernel,
  type KernelPlan,
  type KernelSpec,
  type UniformValue,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { vectorLoop } from "./elementwise.ts";
import { DIVISION, divisorOf, readVectors, reciprocalOf, simplified, type StridedView, valueType } from "./strided.ts";

/** Returns the plan of a single kernel that copies input 0 through a view to output 0. */
export function stridedCopy(
  name: string,
  from: DType,
  to: DType,
  view: StridedView,
  traits: DeviceTraits,
): KernelPlan {
  const kernel = copyKernel(name, from, to, view, 0, traits);
  return { name: kernel.name, kernels: [kernel], workspace: [] };
}

/** Returns a kernel that copies input 0 through a view to an output, converting the elements to `to`. */
export function copyKernel(
  name: string,
  from: DType,
  to: DType,
  view: StridedView,
  output: number,
  traits: DeviceTraits,
): KernelSpec {
  const simple = simplified(view);
  const read = readVectors("x_", from, simple);
  const vectors = Math.ceil(sizeOf(view.sizes) / 4);
  return defineKernel({
    name: `${name}.${from === to ? to : `${from}_${to}`}.strided${simple.sizes.length}`,
    buffers: { x_: { ref: { input: 0 }, type: read.type }, y_: { ref: { output }, type: `vec4<${to}>` } },
    prelude: `${DIVISION}\n${read.functions}`,
    ...vectorLoop(vectors, traits, `y_[i] = vec4<${to}>(x_At(i));`, read.uniforms),
  });
}

/** Returns the plan that joins rows: row r of output 0 is row r of each input in turn. */
export function joinRows(
  name: string,
  dtype: DType,
  rows: number,
  widths: readonly number[],
  traits: DeviceTraits,
): KernelPlan {
  const width = widths.every((n) => n % 4 === 0) ? 4 : 1;
  const units = widths.map((n) => n / width);
  const total = units.reduce((a, b) => a + b, 0);
  const division = divisorOf("total", total, rows * total);
  const type = width === 4 ? `vec4<${dtype}>` : dtype;
  const buffers: Record<string, BufferDeclaration> = {};
  const uniforms: Record<string, UniformValue> = { total, last: rows * total - 1, ...division.uniforms };
  const lines: string[] = [];
  let start = 0;
  units.forEach((n, input) => {
    buffers[`x${input}`] = { ref: { input }, type };
    Object.assign(uniforms, { [`start${input}`]: start, [`width${input}`]: n });
    start += n;
    const value = `return x${input}[row * u.width${input} + column - u.start${input}];`;
    lines.push(input === units.length - 1 ? value : `if (column < u.start${input} + u.width${input}) { ${value} }`);
  });
  const vectors = Math.ceil(rows * total * width / 4);
  const read = ["at.x", "at.y", "at.z", "at.w"].map((at) => `unitAt(${at})`).join(", ");
  const kernel = defineKernel({
    name: `${name}.${units.length}.${dtype}.x${width}`,
    buffers: { ...buffers, y_: { ref: { output: 0 }, type: `vec4<${dtype}>` } },
    prelude: `${DIVISION}
fn unitAt(e: u32) -> ${type} {
  let row = ${division.by("e")};
  let column = e - row * u.total;
  ${lines.join("\n  ")}
}`,
    ...vectorLoop(
      vectors,
      traits,
      width === 4
        ? "y_[i] = unitAt(i);"
        : `let at = min(i * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.last));\n    y_[i] = vec4<${dtype}>(${read});`,
      uniforms,
    ),
  });
  return { name: kernel.name, kernels: [kernel], workspace: [] };
}

/** A dimension of a padded tensor: input element j is output element `low + j step`. */
export interface PaddedDimension {
  readonly input: number;
  readonly output: number;
  readonly low: number;
  readonly step: number;
}

/** Returns the plan that writes row-major input 0 into output 0, which is `value` elsewhere. */
export function padKernel(
  name: string,
  dtype: DType,
  dimensions: readonly PaddedDimension[],
  value: number,
  traits: DeviceTraits,
): KernelPlan {
  const merged = withoutPlain(dimensions);
  const inner = merged.at(-1)!;
  const whole = inner.step === 1 && [inner.input, inner.output, inner.low].every((n) => n % 4 === 0);
  const dims = whole
    ? merged.with(-1, { input: inner.input / 4, output: inner.output / 4, low: inner.low / 4, step: 1 })
    : merged;
  const index = whole ? "u32" : "vec4<u32>";
  const uniforms: Record<string, UniformValue> = {};
  const lines: string[] = [];
  let stride = 1;
  for (let d = dims.length - 1; d >= 0; d--) {
    const { input, output, low, step } = dims[d]!;
    Object.assign(uniforms, { [`size${d}`]: output, [`low${d}`]: low, [`span${d}`]: (input - 1) * step + 1 });
    if (d === 0) lines.push(`let place${d} = rest - u.low${d};`);
    else {
      const { reciprocal, shift } = reciprocalOf(Math.max(2, output));
      Object.assign(uniforms, { [`reciprocal${d}`]: reciprocal, [`shift${d}`]: shift });
      const quotient = `${whole ? "quotient" : "quotient4"}(rest, u.reciprocal${d}, u.shift${d})`;
      lines.push(
        `let outer${d} = ${output === 1 ? "rest" : quotient};`,
        `let place${d} = rest - outer${d} * u.size${d} - u.low${d};`,
        `rest = outer${d};`,
      );
    }
    lines.push(`inside = inside & (place${d} < ${index}(u.span${d}));`);
    if (step > 1) {
      Object.assign(uniforms, { [`step${d}`]: step });
      lines.push(`inside = inside & (place${d} % u.step${d} == ${index}(0u));`);
    }
    Object.assign(uniforms, { [`stride${d}`]: stride });
    lines.push(`at += place${d}${step > 1 ? ` / u.step${d}` : ""} * u.stride${d};`);
    stride *= input;
  }
  const read = whole
    ? `select(filled, x_[at], vec4<bool>(inside))`
    : `select(filled, vec4<${dtype}>(x_[at.x], x_[at.y], x_[at.z], x_[at.w]), inside)`;
  const kernel = defineKernel({
    name: `${name}.${dtype}.${dims.length}.x${whole ? 4 : 1}`,
    buffers: {
      x_: { ref: { input: 0 }, type: whole ? `vec4<${dtype}>` : dtype },
      y_: { ref: { output: 0 }, type: `vec4<${dtype}>` },
    },
    prelude: DIVISION,
    ...vectorLoop(
      Math.ceil(dimensions.reduce((n, { output }) => n * output, 1) / 4),
      traits,
      `var rest = ${whole ? "i" : "i * 4u + vec4<u32>(0u, 1u, 2u, 3u)"};
    var at = ${index}();
    var inside = ${whole ? "true" : "vec4<bool>(true)"};
    let filled = vec4<${dtype}>(${valueType(dtype)}(${
        valueType(dtype) === "vec4<f32>" ? "u.value" : `${dtype}(u.value)`
      }));
    ${lines.join("\n    ")}
    y_[i] = ${read};`,
      { ...uniforms, value: { f32: value } },
    ),
  });
  return { name: kernel.name, kernels: [kernel], workspace: [] };
}

/** Merges dimensions without padding into the dimension outside of them. */
function withoutPlain(dimensions: readonly PaddedDimension[]): PaddedDimension[] {
  const merged: PaddedDimension[] = [];
  for (const own of dimensions) {
    const outer = merged.at(-1);
    const plain = own.low === 0 && own.step === 1 && own.input === own.output;
    if (plain && outer?.step === 1) {
      merged.splice(-1, 1, {
        input: outer.input * own.input,
        output: outer.output * own.input,
        low: outer.low * own.input,
        step: 1,
      });
    } else merged.push(own);
  }
  return merged.length > 0 ? merged : [{ input: 1, output: 1, low: 0, step: 1 }];
}

/** Returns sizes in the given order. */
export function inOrder(shape: Shape, order: readonly number[]): number[] {
  return order.map((dimension) => shape[dimension]!);
}
