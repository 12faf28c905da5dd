/**
 * Writes zod schemas as TypeScript.
 *
 * @module
 */
import { z } from "zod";
import { descriptionOf, unwrap, unwrapOnce } from "../../runtime/scenario/schema_walk.ts";

/** The values that a schema accepts, or those that it returns. */
export type Side = "input" | "output";

/** Types by schema, for schemas with a declared type. */
export type Declared = ReadonlyMap<z.core.$ZodType, string>;

/** Returns the description as a sentence, on the input side with the default where there is a value to show. */
export function docOf(schema: z.core.$ZodType, side: Side = "input"): string {
  const description = descriptionOf(schema).replace(/, usually .*/, "");
  if (description === "") return "";
  const sentence = `${description.charAt(0).toUpperCase()}${description.slice(1)}.`;
  const { data } = z.safeParse(schema, undefined);
  const shown = side === "output" || data === undefined || data === null || unwrap(schema) instanceof z.ZodObject
    ? ""
    : ` Default: \`${JSON.stringify(data)}\`.`;
  return `${sentence}${shown}`;
}

/** Returns the fields of an interface, with doc comments. Lists and fields of the input side are read-only. */
export function fieldsOf(shape: z.core.$ZodShape, side: Side, declared: Declared = new Map()): string {
  return Object.entries(shape).map(([name, schema]) => {
    const doc = docOf(schema, side);
    const optional = isOptional(schema, side);
    return [
      ...doc === "" ? [] : [`/** ${doc} */`],
      `${side === "input" ? "readonly " : ""}${name}${optional ? "?" : ""}: ${typeOf(schema, side, declared)}${
        optional ? " | undefined" : ""
      };`,
    ].join("\n");
  }).join("\n");
}

/** Returns true for a field that may be missing. */
export function isOptional(schema: z.core.$ZodType, side: Side): boolean {
  return side === "input" ? z.safeParse(schema, undefined).success : schema instanceof z.ZodOptional;
}

/** Returns the type of a schema's values, without undefined; on the input side with the short form in its metadata. */
export function typeOf(schema: z.core.$ZodType, side: Side, declared: Declared = new Map()): string {
  const type = longTypeOf(schema, side, declared);
  const short = side === "input" ? z.globalRegistry.get(schema)?.["short"] : undefined;
  return typeof short === "string" ? `${short} | ${type}` : type;
}

function longTypeOf(schema: z.core.$ZodType, side: Side, declared: Declared): string {
  const meta = z.globalRegistry.get(schema);
  const known = declared.get(schema) ?? (side === "output" ? meta?.["output"] : undefined) ?? meta?.["script"];
  if (typeof known === "string") return known;
  const inside = (inner: z.core.$ZodType) => typeOf(inner, side, declared);
  const list = side === "input" ? "readonly " : "";
  if (schema instanceof z.ZodNullable) return `${inside(schema.def.innerType)} | null`;
  const inner = schema instanceof z.ZodPipe && side === "output" ? schema.def.out : unwrapOnce(schema);
  if (inner !== null) return inside(inner);
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.map(inside))].join(" | ");
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(" | ");
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(" | ");
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodString) return "string";
  if (schema instanceof z.ZodTuple) return `${list}[${schema.def.items.map(inside).join(", ")}]`;
  if (schema instanceof z.ZodArray) return `${list}${inParentheses(inside(schema.element))}[]`;
  if (schema instanceof z.ZodRecord) return `{ ${list}[name: string]: ${inside(schema.valueType)} }`;
  if (schema instanceof z.ZodObject) return `{\n${fieldsOf(schema.shape, side, declared)}\n}`;
  throw new Error(`no type for ${schema._zod.def.type}`);
}

function inParentheses(type: string): string {
  return /[ |{]/.test(type) ? `(${type})` : type;
}
