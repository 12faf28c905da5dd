import { InputError } from "../../core/errors.ts";
import { type DelayOption, recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTargetTransform, type SpecOf } from "./transform.ts";

const schema = ({ z, probability, delay }: SchemaKit) =>
  z.strictObject({
    kind: z.literal("oneHot"),
    smoothing: probability.default(0).describe("part of the 1 that is spread over all classes"),
    delay,
  });

export const oneHotDef = defineTargetTransform({
  kind: "oneHot",
  schema,
  target({ smoothing }, classes, place) {
    if (classes === null) throw new InputError(`${place}: oneHot needs targets that are class indices`);
    return {
      size: classes,
      write(label, out, at) {
        out.fill(smoothing / classes, at, at + classes);
        out[at + label]! += 1 - smoothing;
      },
    };
  },
});

/**
 * The target as a vector with 1 at its class and 0 elsewhere; `smoothing` of the 1 is spread over all classes.
 *
 * @throws {InputError} if `smoothing` is not within 0 and 1
 */
export function oneHot(options: { smoothing?: number } & DelayOption = {}): SpecOf<typeof schema> {
  return recordOf(oneHotDef, options);
}
