/**
 * Gradients of the parameters of a norm of rows in one pass over dy and x: dw = sum of dy (x - mean) deviation and
 * db = sum of dy, over the rows. Each lane walks some rows of its columns and writes partial sums, which a lane per column
 * adds in order. If one workgroup of a GPU covers all rows, the second stage is unnecessary.
 *
 * @module
 */
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, store } from "./access.ts";
import { type ChannelRows, placeWidth, soleWalk } from "./channel_rows.ts";
import { mergeKernel, rowsKernel } from "./rows_kernel.ts";
import { declare, variantName } from "./tensors.ts";

export interface RowNormParamsOptions {
  readonly name: string;
  readonly shape: ChannelRows;
  readonly dy: FloatBuffer;
  readonly x: FloatBuffer;
  /** One f32 per row; null if nothing is subtracted. */
  readonly mean: FloatBuffer | null;
  readonly deviation: FloatBuffer;
  readonly dw: FloatBuffer;
  /** Gradient of the bias; null without one. */
  readonly db: FloatBuffer | null;
  readonly traits: DeviceTraits;
}

/** Returns the plan. */
export function rowNormParamsPlan(options: RowNormParamsOptions): KernelPlan {
  const { name, shape, dy, x, mean, deviation, dw, db, traits } = options;
  const { width } = shape;
  const walk = soleWalk(shape, traits);
  const targets: Readonly<Record<string, FloatBuffer>> = db === null ? { dw } : { dw, db };
  const sums = db === null ? ["dw"] as const : ["dw", "db"] as const;
  const pass = {
    name: `${name}.${variantName({ dy, x }, placeWidth(shape))}`,
    shape,
    traits,
    walk,
    reads: { dy, x },
    writes: {},
    numbers: { ...(mean === null ? {} : { mean: mean.ref }), deviation: deviation.ref },
    variables: ["dwSum", "dbSum"] as const,
    before: (names: Readonly<Record<"dwSum" | "dbSum", string>>) =>
      sums.map((sum) => `var ${names[`${sum}Sum`]} = V(0.0);`).join("\n  "),
    each: ({ dwSum, dbSum }: Readonly<Record<"dwSum" | "dbSum", string>>) =>
      `${dwSum} += dy * ${mean === null ? "x" : "(x - mean[row])"} * deviation[row];${
        db === null ? "" : `\n    ${dbSum} += dy;`
      }`,
    sums: sums.map((sum) => `${sum}Sum` as const),
  };
  const stored = (c: string, value: (sum: "dw" | "db") => string) =>
    sums.map((sum) => store(sum, c, value(sum), targets[sum]!, width)).join("\n  ");
  const declared = Object.fromEntries(Object.entries(targets).map(([sum, buffer]) => [sum, declare(buffer, width)]));
  if (walk.lanes === 1 && traits.class !== "cpu") {
    const kernel = rowsKernel({
      ...pass,
      buffers: declared,
      after: (names) => stored(names.c, (sum) => names[`${sum}Sum`]),
    });
    return { name: kernel.name, kernels: [kernel], workspace: [] };
  }
  const parts = { ref: { workspace: 0 }, type: elementType("f32", width) } as const;
  const bytes = walk.lanes * shape.channels * 4 * sums.length;
  const partial = rowsKernel({
    ...pass,
    buffers: { parts },
    after: (names) =>
      sums.map((sum, n) => `parts[${names.index} * ${sums.length}u + ${n}u] = ${names[`${sum}Sum`]};`).join("\n  "),
  });
  const merge = mergeKernel({
    name: `${name}.merge${db === null ? "" : ".bias"}.${variantName(targets, width)}`,
    shape,
    traits,
    walk,
    buffers: { parts: { ...parts, access: "read" }, ...declared },
    body: ({ lanes, add, once }) =>
      `${sums.map((sum) => `var ${sum}Sum = V(0.0);`).join("\n  ")}
  ${lanes} {
    ${sums.map((sum, n) => `${sum}Sum += parts[(lane * u.groups + c) * ${sums.length}u + ${n}u];`).join("\n    ")}
  }${add(...sums.map((sum) => `${sum}Sum`))}
  ${once(stored("c", (sum) => `${sum}Sum`))}`,
  });
  return { name: partial.name, kernels: [partial, merge], workspace: [bytes] };
}
