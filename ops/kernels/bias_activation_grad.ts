/**
 * Gradient of an activation and of the bias before it in one pass: dz = f'(dy, y) per element, db[c] = the sum of dz over
 * the rows. Each lane walks some rows of its channels and leaves a partial sum; one lane per channel adds these in order.
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { ElementwiseForm } from "../../runtime/graph/op.ts";
import { elementType, store } from "./access.ts";
import { type ChannelRows, mergeKernel, partialWalk, placeWidth, rowsKernel } from "./channel_rows.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { declare, variantName } from "./tensors.ts";

export interface BiasActivationGradOptions {
  readonly shape: ChannelRows;
  /** Of two inputs. */
  readonly form: ElementwiseForm;
  readonly inputs: readonly [FloatBuffer, FloatBuffer];
  readonly dz: FloatBuffer;
  readonly db: FloatBuffer;
  readonly traits: DeviceTraits;
}

export function biasActivationGradKernels(options: BiasActivationGradOptions): KernelPlan {
  const { shape, form, inputs: [dy, saved], dz, db, traits } = options;
  const { width } = shape;
  const walk = partialWalk(shape, traits);
  const vector = elementType("f32", width);
  const [first, second] = form.inputs as readonly [string, string];
  const ofGroup = `${form.statements ?? ""}
    let d = ${form.value};`;
  // the form takes vectors
  const ofNumber = `var d: f32;
    {
      let numbers = vec2<f32>(${first}, ${second});
      let ${first} = numbers.xxxx;
      let ${second} = numbers.yyyy;
      ${form.statements ?? ""}
      d = (${form.value}).x;
    }`;
  const pass = rowsKernel({
    name: `${form.name}.bias.${variantName({ dy, saved, dz }, placeWidth(shape))}`,
    shape,
    traits,
    walk,
    reads: { [first]: dy, [second]: saved },
    writes: { dz: { ...dz, value: "d" } },
    buffers: { parts: { ref: { workspace: 0 }, type: vector } },
    before: "var sum = V(0.0);",
    each: `${width === 4 ? ofGroup : ofNumber}
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
  return { name: pass.name, kernels: [pass, merge], workspace: [walk.lanes * shape.channels * 4] };
}
