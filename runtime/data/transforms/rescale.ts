import type { RescaleSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `rescale` in factories.ts. */
export const rescaleDef: TransformDef<RescaleSpec> = {
  output: (_spec, input) => ({ ...input, dtype: "f32", bytes: false }),
  action: ({ scale, shift }) => ({
    act: "point",
    point: { output: "f32", of: () => (x) => Math.fround(x * scale + shift) },
  }),
};
