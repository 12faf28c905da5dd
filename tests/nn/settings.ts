import { z } from "zod";
import { kindOf, type KindSchema } from "../../runtime/data/kinds.ts";

/** Values of fields without a default. */
const REQUIRED: Readonly<Record<string, unknown>> = { learningRate: 0.05 };

/**
 * Records that between them take every path of a definition: those fields that are off by default (0 or false) in every
 * combination that the schema accepts, and one in which all other numbers are half their default.
 */
export function settingsOf<S extends KindSchema>(schema: S): z.output<S>[] {
  const base: Record<string, unknown> = { kind: kindOf({ schema }) };
  const halved: Record<string, unknown> = {};
  let combinations: Record<string, unknown>[] = [{}];
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const value = field instanceof z.ZodDefault ? field.def.defaultValue : undefined;
    if (name in REQUIRED) base[name] = REQUIRED[name];
    else if (typeof value === "number" && value !== 0) halved[name] = value / 2;
    else if (value === 0 || value === false) {
      const on = value === 0 ? 0.1 : true;
      combinations = combinations.flatMap((others) => [others, { ...others, [name]: on }]);
    }
  }
  return [...combinations, halved].flatMap((fields) => {
    const parsed = schema.safeParse({ ...base, ...fields });
    return parsed.success ? [parsed.data] : [];
  });
}
