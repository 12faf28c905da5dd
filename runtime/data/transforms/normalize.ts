import { readable } from "../../core/readable.ts";
import { shown } from "../../core/shown.ts";
import { InputError } from "../../core/errors.ts";
import { type DelayOption, recordOf, suggested } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTransform } from "./transform.ts";
import type { NormalizeSpec } from "./types.ts";

const schema = ({ record, z, number, positive }: SchemaKit) =>
  record("normalize", {
    mean: z.array(number).min(1, { error: "expected one number per channel" }).describe("mean of each channel"),
    std: z.array(positive).min(1, { error: "expected one number per channel" })
      .describe("standard deviation of each channel"),
  }).refine((spec) => spec.mean.length === spec.std.length, {
    path: ["std"],
    error: "expected as many numbers as mean has",
  });

/** Mean and standard deviation of pixels / 255 in well-known training sets, per channel. */
const STATISTICS: Readonly<Record<string, { readonly mean: readonly number[]; readonly std: readonly number[] }>> = {
  cifar10: { mean: [0.4914, 0.4822, 0.4465], std: [0.2470, 0.2435, 0.2616] },
  cifar100: { mean: [0.5071, 0.4866, 0.4409], std: [0.2673, 0.2564, 0.2762] },
  fashionMnist: { mean: [0.2860], std: [0.3530] },
  imagenet: { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] },
  mnist: { mean: [0.1307], std: [0.3081] },
};

/** Data sets whose statistics `normalize` knows by name. */
export type StatisticsName = "cifar10" | "cifar100" | "fashionMnist" | "imagenet" | "mnist";

export const normalizeDef = defineTransform({
  kind: "normalize",
  schema,
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
});

/**
 * Computes `(x - mean) / std` per channel, where x is pixel / 255 for u8 data and the value itself for f32 data. Samples
 * that are not `[channels, height, width]` count as one channel.
 *
 * @throws {InputError} if the name is unknown, the lists differ in length or a standard deviation is not positive
 */
export function normalize(
  statistics: StatisticsName | { mean: number[]; std: number[] },
  options: DelayOption = {},
): NormalizeSpec {
  if (typeof statistics !== "string") {
    return recordOf(normalizeDef, options, readable(statistics, "normalize()"));
  }
  const known = Object.hasOwn(STATISTICS, statistics) ? STATISTICS[statistics] : undefined;
  if (known === undefined) {
    const hint = suggested(statistics, Object.keys(STATISTICS));
    throw new InputError(
      `normalize(${shown(statistics)}): no such statistics${hint}; or give { mean, std } per channel`,
    );
  }
  return recordOf(normalizeDef, options, { mean: [...known.mean], std: [...known.std] });
}
