import { InputError } from "../../core/errors.ts";
import type { NormalizeSpec } from "./schema.ts";
import type { TransformDef } from "./transform.ts";

/** See `normalize` in factories.ts. */
export const normalizeDef: TransformDef<NormalizeSpec> = {
  output(spec, input, place) {
    if (spec.mean.length !== input.channels) {
      const what = input.image ? `${input.channels} channels` : "one channel (they are not [channels, height, width])";
      throw new InputError(
        `${place}: normalize has ${spec.mean.length} means but the samples have ${what}; give one per channel`,
      );
    }
    return { ...input, dtype: "f32", bytes: false };
  },
  action({ mean, std }, { dtype }) {
    return {
      act: "point",
      point: {
        output: "f32",
        of(channel) {
          const [m, s] = [mean[channel]!, std[channel]!];
          return dtype === "u8" ? (x) => Math.fround((x / 255 - m) / s) : (x) => Math.fround((x - m) / s);
        },
      },
    };
  },
};
