import type { MapSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `map` in factories.ts. */
export const mapDef: TransformDef<MapSpec> = {
  output: ({ output }, input) => ({
    ...input,
    bytes: false,
    dtype: output.dtype ?? input.dtype,
    order: output.order ?? input.order,
    channels: output.channels ?? input.channels,
    height: output.height ?? input.height,
    width: output.width ?? input.width,
  }),
  action(spec, input) {
    return { act: "map", output: mapDef.output(spec, input, "") };
  },
};
