/**
 * Gradient of an activation and of the bias before it in one pass: dz = f'(dy, y) per element, db[c] = sum of dz over
 * the rows. Each lane walks some rows of its channels and writes a partial sum; one lane per channel adds these in
 * order. If one workgroup of a GPU covers all rows, the second stage is unnecessary.
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { renderCode } from "../../runtime/graph/form_code.ts";
import type { ElementwiseForm } from "../../runtime/graph/op.ts";
import { elementType, type FloatBuffer, store } from "./access.ts";
import { type ChannelRows, placeWidth, soleWalk } from "./channel_rows.ts";
import { mergeKernel, rowsKernel, type RowsKernelOptions } from "./rows_kernel.ts";
import { declare, variantName } from "./tensors.ts";

export interface BiasActivationGradOptions {
  readonly shape: ChannelRows;
  /** Code with two inputs. */
  readonly form: ElementwiseForm;
  readonly inputs: readonly [FloatBuffer, FloatBuffer];
  readonly dz: FloatBuffer;
  readonly db: FloatBuffer;
  readonly traits: DeviceTraits;
}

export function biasActivationGradKernels(options: BiasActivationGradOptions): KernelPlan {
  const { shape, form, inputs: [dy, saved], dz, db, traits } = options;
  const { width } = shape;
  const [first, second] = form.inputs as readonly [string, string];
  const [statements, value] = [renderCode(form.statements), renderCode(form.value)];
  const ofGroup = `${statements}
    let d = ${value};`;
  // The form takes vectors
  const ofNumber = `var d: f32;
    {
      let numbers = vec2<f32>(${first}, ${second});
      let ${first} = numbers.xxxx;
      let ${second} = numbers.yyyy;
      ${statements}
      d = (${value}).x;
    }`;
  return biasSumPlan({
    name: `${form.name}.bias.${variantName({ dy, saved, dz }, placeWidth(shape))}`,
    shape,
    traits,
    db,
    reads: { [first]: dy, [second]: saved },
    writes: { dz: { ...dz, value: () => "d" } },
    each: ({ sum }) =>
      `${width === 4 ? ofGroup : ofNumber}
    ${sum} += d;`,
    prelude: (form.prelude ?? []).join("\n"),
  });
}

/**
 * Returns the plan for db, the sum over the rows of the terms that `each` adds to `sum`; `each` may write tensors too.
 */
export function biasSumPlan(
  { db, ...pass }:
    & Pick<RowsKernelOptions<"sum">, "name" | "shape" | "traits" | "reads" | "writes" | "each" | "prelude">
    & { readonly db: FloatBuffer },
): KernelPlan {
  const { shape, traits } = pass;
  const { width } = shape;
  const walk = soleWalk(shape, traits);
  const bytes = walk.lanes * shape.channels * 4;
  const parts = { ref: { workspace: 0 }, type: elementType("f32", width) } as const;
  const whole = ({ c, sum }: Record<"c" | "sum", string>) => store("db", c, sum, db, width);
  const sums: Omit<RowsKernelOptions<"sum">, "buffers"> = {
    ...pass,
    walk,
    variables: ["sum"],
    before: ({ sum }) => `var ${sum} = V(0.0);`,
    sums: ["sum"],
  };
  // One workgroup of a GPU covers all rows
  if (walk.lanes === 1 && traits.class !== "cpu") {
    const kernel = rowsKernel({ ...sums, buffers: { db: declare(db, width) }, after: whole });
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  }
  const partial = rowsKernel({ ...sums, buffers: { parts }, after: ({ index, sum }) => `parts[${index}] = ${sum};` });
  const merge = mergeKernel({
    name: `bias_grad.merge.${variantName({ db }, width)}`,
    shape,
    traits,
    walk,
    buffers: { parts: { ...parts, access: "read" }, db: declare(db, width) },
    body: ({ lanes, add, once }) =>
      `var sum = V(0.0);
  ${lanes} { sum += parts[lane * u.groups + c]; }${add("sum")}
  ${once(whole({ c: "c", sum: "sum" }))}`,
  });
  return { name: partial.name, kernels: [partial, merge], workspace: [bytes] };
}
