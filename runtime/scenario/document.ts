/**
 * Documents the keys of a scenario from the schema: type, default, value and description.
 *
 * @module
 */
import { z } from "zod";
import { read, readable } from "../core/readable.ts";
import { INTERPRETED } from "../data/checked.ts";
import { transformSchema } from "../data/transforms/schema.ts";
import { checkParams } from "./check_config.ts";
import type { Scenario } from "./definition.ts";
import { isPlain, mergeAll, type Plain } from "./merge.ts";
import { formatValue } from "./override.ts";
import { planVariants } from "./plan_variants.ts";
import { at } from "./problems.ts";
import { configSchema, runSchema } from "./schema.ts";
import { descriptionOf, kindsOf, objectFor, unwrap, unwrapOnce } from "./schema_walk.ts";
import { expandShorthand } from "./shorthand.ts";
import { type Structure, takeApart } from "./structure.ts";

/** Documentation of a key, for `--help`. */
export interface KeyDocument {
  /** Path as in an override: `loader.numWorkers`; the bare name of a parameter. */
  readonly path: string;
  /** True for the scenario's own parameters. */
  readonly param: boolean;
  /** Accepted values, such as `"O0" | "O1"` or `integer >= 0`. */
  readonly type: string;
  /** Default; `undefined` if the key is required. */
  readonly default: unknown;
  /** Value in the scenario before variants change it, or the default. */
  readonly value: unknown;
  /** One line, or empty. */
  readonly description: string;
  /** True if the scenario's definition sets it. In a record with a `kind`, keys with their defaults count as unset. */
  readonly set: boolean;
}

/**
 * Documents the keys that overrides can set: the scenario's parameters, then its settings. A record with a `kind` is
 * documented for the kind that the scenario uses.
 *
 * @throws {InputError} if the outer form of the scenario is wrong
 */
export function documentKeys(definition: Scenario): KeyDocument[] {
  const structure = takeApart(definition);
  const { params, base, trains } = structure;
  const own = Object.entries(params).map(([name, type]) =>
    read(`params.${name}`, () => documentLeaf(name, type, undefined, undefined, true))
  );
  const given = expandShorthand(withData(base, params));
  const settings = read("scenario", () => documentRecord(trains ? configSchema : runSchema, [], given));
  return [...own, ...settings, documentBaseline(structure)];
}

/** Settings of one kind of a record, such as the optimizer `adamW`. */
export interface KindDocument {
  readonly kind: string;
  readonly keys: readonly KeyDocument[];
}

/** Documentation of every setting, for the reference. */
export interface SchemaDocument {
  /** Keys that every scenario has. */
  readonly common: readonly KeyDocument[];
  /** Records with a `kind`: losses, optimizers, schedules, data sources, transforms. */
  readonly kinds: readonly {
    readonly path: string;
    readonly title: string;
    readonly members: readonly KindDocument[];
  }[];
}

const TITLES = { loss: "Losses", optimizer: "Optimizers", schedule: "Schedules", data: "Data sources" } as const;

/** Documents every key of a scenario, for all kinds of losses, optimizers, schedules, data sources and transforms. */
export function documentSchema(): SchemaDocument {
  const common = documentRecord(configSchema, [], {});
  const kinds = Object.entries(TITLES).map(([path, title]) => ({
    path,
    title,
    members: documentKinds(configSchema.shape[path as keyof typeof TITLES], path),
  }));
  const transforms = { path: "data.transforms", title: "Transforms", members: documentKinds(transformSchema, "") };
  return { common, kinds: [...kinds, transforms] };
}

function documentKinds(schema: z.core.$ZodType, path: string): KindDocument[] {
  return kindsOf(schema).map((kind) => {
    const keys = documentRecord(objectFor(schema, { kind })!, path === "" ? [] : [path], {});
    return { kind: String(kind), keys: keys.filter((key) => key.path.split(".").at(-1) !== "kind") };
  });
}

function documentBaseline(structure: Structure): KeyDocument {
  const first = [...planVariants(structure, []), ...structure.programs][0]!.name;
  return {
    path: "baseline",
    param: false,
    type: "name of a variant",
    default: first,
    value: structure.baseline ?? first,
    description: "variant that the others are compared with",
    set: structure.baseline !== null,
  };
}

function withData(base: Plain, types: Parameters<typeof checkParams>[0]): Plain {
  if (typeof base["data"] !== "function") return base;
  const { data, ...rest } = base;
  const params = checkParams(types, { layers: [], assignments: [] });
  if ("problems" in params) return rest;
  try {
    return { ...rest, data: readable((data as (params: Plain) => unknown)(params.value), "data") };
  } catch {
    return rest; // Resolving the scenario reports the error
  }
}

/** @param off the record is null by default, and so are its keys */
function documentRecord(schema: z.ZodObject, path: readonly string[], given: unknown, off = false): KeyDocument[] {
  return Object.entries(schema.shape).flatMap(([key, type]): KeyDocument[] => {
    const here = [...path, key];
    const value = at(given, [key]);
    const inner = unwrap(type);
    if (inner instanceof z.ZodDiscriminatedUnion) {
      const member = objectFor(inner, value);
      const kind = documentLeaf(
        [...here, "kind"].join("."),
        type,
        at(value, ["kind"]) ?? null,
        kindsOf(inner).map((name) => JSON.stringify(name)).join(" | "),
      );
      const rest = member === null ? [] : documentRecord(member, here, value);
      // The functions that create such records fill in all defaults
      return [kind, ...rest.filter(({ path }) => path !== kind.path).map((key) => ({ ...key, set: differs(key) }))];
    }
    if (inner instanceof z.ZodObject) {
      return documentRecord(inner, here, value, z.safeParse(type, undefined, INTERPRETED).data === null);
    }
    const leaf = documentLeaf(here.join("."), type, value);
    return [off ? { ...leaf, default: null, value: value ?? null } : leaf];
  });
}

function documentLeaf(
  path: string,
  schema: z.core.$ZodType,
  given: unknown,
  type = typeText(schema),
  param = false,
): KeyDocument {
  const parsed = z.safeParse(schema, undefined, INTERPRETED);
  const fallback: unknown = parsed.success ? parsed.data : undefined;
  const value = given === undefined ? fallback : isPlain(given) ? mergeAll([given]) : given;
  const set = given !== undefined && given !== null;
  return { path, param, type, default: fallback, value, description: descriptionOf(schema), set };
}

function differs({ default: fallback, value }: KeyDocument): boolean {
  return fallback === undefined ? value !== undefined : formatValue(value) !== formatValue(fallback);
}

/** Describes the values that a schema accepts. */
function typeText(schema: z.core.$ZodType): string {
  const named = z.globalRegistry.get(schema)?.["type"];
  if (typeof named === "string") return named;
  if (schema instanceof z.ZodNullable) return `${typeText(schema.def.innerType)} | null`;
  const inner = unwrapOnce(schema);
  if (inner !== null) return typeText(inner);
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => typeText(option)).join(" | ");
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(" | ");
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(" | ");
  if (schema instanceof z.ZodNumber) return numberText(schema);
  if (schema instanceof z.ZodBoolean) return "true | false";
  if (schema instanceof z.ZodString) return "string";
  if (schema instanceof z.ZodArray) return "list";
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return "record";
  return "value";
}

/** `integer >= 1` */
function numberText(schema: z.ZodNumber): string {
  const bounds = (schema.def.checks ?? []).map((check) => check._zod.def as BoundDef).flatMap((bound) =>
    bound.check === "greater_than"
      ? [`${bound.inclusive ? ">=" : ">"} ${bound.value}`]
      : bound.check === "less_than"
      ? [`${bound.inclusive ? "<=" : "<"} ${bound.value}`]
      : []
  );
  return [schema.isInt ? "integer" : "number", bounds.join(", ")].join(" ").trim();
}

interface BoundDef {
  readonly check: string;
  readonly inclusive?: boolean;
  readonly value?: unknown;
}
