/**
 * Generates the types of the settings that scripts write, with their descriptions and defaults as doc comments, from the
 * schema:
 *
 *     deno task types
 *
 * A test compares the file with what this module generates.
 *
 * @module
 */
import { join } from "node:path";
import { z } from "zod";
import { runSchema, settingsSchema } from "../runtime/scenario/schema.ts";
import { descriptionOf, unwrap, unwrapOnce } from "../runtime/scenario/schema_walk.ts";

const root = join(import.meta.dirname!, "..");

/** The generated file, relative to the root. */
export const SETTING_TYPES = "runtime/scenario/setting_types.ts";

/** Settings whose types depend on the list of definitions or the parameters; `definition.ts` has them. */
const WRITTEN = ["loss", "optimizer", "data"];

/** Short forms by path, which `shorthand.ts` expands. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  amp: 'boolean | AmpSettings["level"]',
  sink: "boolean",
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
    } else type = typeOf(schema);
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

/** Returns the description as a sentence, with the default where there is a value to show. */
function docOf(schema: z.core.$ZodType): string {
  const description = descriptionOf(schema).replace(/, usually .*/, "");
  const sentence = `${description.charAt(0).toUpperCase()}${description.slice(1)}.`;
  const { data } = z.safeParse(schema, undefined);
  const shown = data === undefined || data === null || unwrap(schema) instanceof z.ZodObject
    ? ""
    : ` Default: \`${JSON.stringify(data)}\`.`;
  return `${sentence}${shown}`;
}

/** Returns the type of a setting as a script may write it. */
function typeOf(schema: z.core.$ZodType): string {
  const script = z.globalRegistry.get(schema)?.script;
  if (typeof script === "string") return script;
  if (schema instanceof z.ZodNullable) return `${typeOf(schema.def.innerType)} | null`;
  const inner = unwrapOnce(schema);
  if (inner !== null) return typeOf(inner);
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.map((option) => typeOf(option)))].join(" | ");
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(" | ");
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(" | ");
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodString) return "string";
  if (schema instanceof z.ZodArray) return `readonly ${typeOf(schema.element)}[]`;
  throw new Error(`no type for ${schema._zod.def.type}`);
}

async function format(code: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--config", join(root, "deno.json"), "--ext", "ts", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

if (import.meta.main) await Deno.writeTextFile(join(root, SETTING_TYPES), await generateSettingTypes());
