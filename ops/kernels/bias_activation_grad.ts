/**
 * Gradient of an activation and of the bias before it in one pass: dz = f'(dy, y) per element, db[c] = the sum of dz over
 * the rows. Each lane walks some rows of its channels and leaves a partial sum; one lane per channel adds these in order.
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { ElementwiseForm } from "../../runtime/graph/op.ts";
import { elementType, load, store, vectorWidth } from "./access.ts";
import { type ChannelRows, mergeKernel, partialWalk, rowsKernel } from "./channel_rows.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { declare, variantName } from "./tensors.ts";

export interface BiasActivationGradOptions {
  readonly rows: number;
  readonly columns: number;
  /** Of two inputs. */
  readonly form: ElementwiseForm;
  readonly inputs: readonly [FloatBuffer, FloatBuffer];
  readonly dz: FloatBuffer;
  readonly db: FloatBuffer;
  readonly traits: DeviceTraits;
}

export function biasActivationGradKernels(options: BiasActivationGradOptions): KernelPlan {
  const { rows, columns, form, inputs: [dy, saved], dz, db, traits } = options;
  const width = vectorWidth(columns);
  const shape: ChannelRows = { rows, channels: columns, width, groups: columns / width };
  const walk = partialWalk(shape, traits);
  const vector = elementType("f32", width);
  const [first, second] = form.inputs as readonly [string, string];
  const four = (value: string) => width === 4 ? value : `vec4<f32>(${value})`;
  const tensors = { first_: dy, second_: saved, dz };
  const pass = rowsKernel({
    name: `${form.name}.bias.${variantName(tensors, width)}`,
    shape,
    traits,
    walk,
    buffers: {
      ...Object.fromEntries(Object.entries(tensors).map(([key, buffer]) => [key, declare(buffer, width)])),
      parts: { ref: { workspace: 0 }, type: vector },
    },
    before: "var sum = V(0.0);",
    each: `let ${first} = ${four(load("first_", "i", dy.dtype, width))};
    let ${second} = ${four(load("second_", "i", saved.dtype, width))};
    ${form.statements ?? ""}
    let d = (${form.value})${width === 4 ? "" : ".x"};
    ${store("dz", "i", "d", dz.dtype, width)}
    sum += d;`,
    after: "parts[index] = sum;",
    prelude: (form.prelude ?? []).join("\n"),
  });
  const merge = mergeKernel({
    name: `bias_grad.merge.${variantName({ db }, width)}`,
    shape,
    traits,
    walk,
    buffers: { parts: { ref: { workspace: 0 }, type: vector, access: "read" }, db: declare(db, width) },
    body: `var sum = V(0.0);
  for (var lane = 0u; lane < u.lanes; lane++) { sum += parts[lane * u.groups + c]; }
  ${store("db", "c", "sum", db.dtype, width)}`,
  });
  return { name: pass.name, kernels: [pass, merge], workspace: [walk.lanes * columns * 4] };
}
