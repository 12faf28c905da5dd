import { InputError } from "../../core/errors.ts";
import { recordOf } from "./record.ts";
import type { SchemaKit } from "./schema_kit.ts";
import { defineTargetTransform } from "./transform.ts";
import type { OneHotOptions, OneHotSpec } from "./types.ts";

const schema = ({ record, probability }: SchemaKit) =>
  record("oneHot", { smoothing: probability.default(0).describe("part of the 1 spread over all classes") });

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
 * Turns a class index into a vector with 1 at the class and 0 elsewhere; `smoothing` of the 1 is spread over all classes.
 *
 * @throws {InputError} if `smoothing` is not between 0 and 1
 */
export function oneHot(options: OneHotOptions = {}): OneHotSpec {
  return recordOf(oneHotDef, options);
}
