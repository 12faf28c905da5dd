/**
 * Generates the types of the settings that scripts write, with their descriptions and defaults as doc comments, from the
 * schema.
 *
 * @module
 */
import { z } from "zod";
import { runSchema, settingsSchema } from "../../runtime/scenario/schema.ts";
import { descriptionOf, unwrap } from "../../runtime/scenario/schema_walk.ts";
import { format } from "./format.ts";
import { docOf, typeOf } from "./schema_text.ts";

/** The generated file, relative to the root. */
export const SETTING_TYPES = "runtime/scenario/setting_types.ts";

/** Settings whose types depend on the list of definitions or the parameters; `definition.ts` has them. */
const WRITTEN = ["loss", "optimizer", "schedule", "data"];

/** Short forms by path, which `shorthand.ts` expands. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  amp: 'boolean | AmpSettings["level"]',
  sink: "boolean",
  distribute: "boolean",
  ema: "boolean",
  "compile.autotune": "boolean",
};

/** Generates the file, formatted. */
export async function generateSettingTypes(): Promise<string> {
  const variant = Object.fromEntries(Object.entries(settingsSchema.shape).filter(([key]) => !WRITTEN.includes(key)));
  const parts = [
    "/**\n * Types of the settings that a script writes. Generated from `schema.ts` by: deno task types\n *\n * @module\n */",
    'import type { FusionName } from "./fusion_names.ts";',
    ...interfaces("VariantSettings", "Settings that a variant can change", variant, []),
    ...interfaces("ScenarioSettings", "Settings of the whole scenario", runSchema.shape, []),
  ];
  return await format(`${parts.join("\n\n")}\n`);
}

/** Returns the interface of a record after those of the records in it. */
function interfaces(name: string, doc: string, shape: z.core.$ZodShape, path: readonly string[]): string[] {
  const nested: string[] = [];
  const fields = Object.entries(shape).flatMap(([key, schema]) => {
    const here = [...path, key];
    const inner = unwrap(schema);
    let type: string;
    if (inner instanceof z.ZodObject) {
      type = nameOf(key);
      nested.push(
        ...interfaces(type, `Settings under \`${here.join(".")}\`: ${descriptionOf(schema)}`, inner.shape, here),
      );
      if (z.safeParse(schema, null).success) type += " | null";
    } else type = typeOf(schema, "input");
    const short = SHORT_FORMS[here.join(".")];
    const optional = z.safeParse(schema, undefined).success ? "?" : "";
    const all = [...short === undefined ? [] : [short], type].join(" | ") + (optional === "" ? "" : " | undefined");
    return [`/** ${docOf(schema)} */`, `readonly ${key}${optional}: ${all};`];
  });
  return [...nested, `/** ${doc}. */\nexport interface ${name} {\n${fields.join("\n")}\n}`];
}

function nameOf(key: string): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}Settings`;
}
