/**
 * The schema of any transform. Data workers do not import it, so that they load no zod.
 *
 * @module
 */
import { z } from "zod";
import { suggestion } from "../../core/nearest.ts";
import { checked } from "../checked.ts";
import { alternatives } from "../kinds.ts";
import { TRANSFORMS } from "./definitions.ts";
import { checkRecordsWith } from "./record.ts";
import { schemaKit } from "./schema_kit.ts";

export type { TransformSpec } from "./definitions.ts";

type Schemas<T> = {
  -readonly [K in keyof T]: T[K] extends { readonly schema: (...args: never[]) => infer S } ? S : never;
};

const schemas = new Map(TRANSFORMS.map((def) => [def.kind as string, def.schema(schemaKit)]));

/** Schema of any transform, discriminated by `kind`. */
export const transformSchema = z.discriminatedUnion(
  "kind",
  [...schemas.values()] as unknown as Schemas<typeof TRANSFORMS>,
  { error: `expected a transform, of kind ${alternatives(TRANSFORMS.map(({ kind }) => kind))}` },
);

checkRecordsWith({
  check: (record) => checked(schemas.get(record.kind)!, record, `${record.kind}()`),
  suggest: suggestion,
});
