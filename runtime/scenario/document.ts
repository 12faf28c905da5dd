/**
 * Every key of a scenario with its type, default and meaning, read off the schema.
 *
 * @module
 */
import { z } from "zod";
import { transformSchema } from "../data/transforms/schema.ts";
import { checkParams } from "./check_config.ts";
import type { Scenario } from "./definition.ts";
import { isPlain, mergeAll, type Plain } from "./merge.ts";
import { planVariants } from "./plan_variants.ts";
import { at } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { kindsOf, objectFor, unwrap, unwrapOnce } from "./schema_walk.ts";
import { expandShorthand } from "./shorthand.ts";
import { type Structure, takeApart } from "./structure.ts";

/** What `--help` says about a key. */
export interface KeyDocument {
  /** As an override names it: `loader.numWorkers`; a parameter by its bare name. */
  readonly path: string;
  /** Whether it is one of the scenario's own parameters. */
  readonly param: boolean;
  /** What it takes, such as `"O0" | "O1"` or `integer >= 0`. */
  readonly type: string;
  /** What it is where nothing is said; `undefined` where something has to be said. */
  readonly default: unknown;
  /** What the scenario says, before variants: the default where it says nothing. */
  readonly value: unknown;
  /** One line; empty where there is none. */
  readonly description: string;
}

/**
 * The keys that overrides can set: the scenario's parameters first, then its settings. Records told apart by `kind`
 * are documented for the kind that the scenario has.
 *
 * @throws {InputError} if the outer form of the scenario is wrong
 */
export function documentKeys(definition: Scenario): KeyDocument[] {
  const structure = takeApart(definition);
  const { params, base } = structure;
  const own = Object.entries(params).map(([name, type]) => documentLeaf(name, type, undefined, undefined, true));
  const given = expandShorthand(withData(base, params));
  return [...own, ...documentRecord(configSchema, [], given), documentBaseline(structure)];
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
  /** Records told apart by `kind`: losses, optimizers, data sources, transforms. */
  readonly kinds: readonly {
    readonly path: string;
    readonly title: string;
    readonly members: readonly KindDocument[];
  }[];
}

const TITLES = { loss: "Losses", optimizer: "Optimizers", data: "Data sources" } as const;

/** Documents every key of a scenario, for all kinds of losses, optimizers, data sources and transforms. */
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
  const first = planVariants(structure, [])[0]!.name;
  return {
    path: "baseline",
    param: false,
    type: "name of a variant",
    default: first,
    value: structure.baseline ?? first,
    description: "the variant that others are compared with",
  };
}

function withData(base: Plain, types: Parameters<typeof checkParams>[0]): Plain {
  if (typeof base.data !== "function") return base;
  const { data, ...rest } = base;
  const params = checkParams(types, { layers: [], assignments: [] });
  if ("problems" in params) return rest;
  try {
    return { ...rest, data: (data as (params: Plain) => unknown)(params.value) };
  } catch {
    return rest; // resolving the scenario says what is wrong
  }
}

/** @param off the record is null where nothing is said, and so is all that it holds */
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
      return [kind, ...rest.filter(({ path }) => path !== kind.path)];
    }
    if (inner instanceof z.ZodObject) {
      return documentRecord(inner, here, value, z.safeParse(type, undefined).data === null);
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
  const parsed = z.safeParse(schema, undefined);
  const fallback: unknown = parsed.success ? parsed.data : undefined;
  const value = given === undefined ? fallback : isPlain(given) ? mergeAll([given]) : given;
  return { path, param, type, default: fallback, value, description: descriptionOf(schema) };
}

/** The description of the schema or of the one that it wraps. */
function descriptionOf(schema: z.core.$ZodType): string {
  const own = z.globalRegistry.get(schema)?.description;
  if (own !== undefined) return own;
  const inner = unwrapOnce(schema);
  return inner === null ? "" : descriptionOf(inner);
}

/** What a schema takes, in a few words. */
function typeText(schema: z.core.$ZodType): string {
  const told = z.globalRegistry.get(schema)?.type;
  if (typeof told === "string") return told;
  if (schema instanceof z.ZodNullable) return `${typeText(schema.def.innerType)} | null`;
  const inner = unwrapOnce(schema);
  if (inner !== null) return typeText(inner);
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => typeText(option)).join(" | ");
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(" | ");
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(" | ");
  if (schema instanceof z.ZodNumber) return numberText(schema);
  if (schema instanceof z.ZodBoolean) return "true | false";
  if (schema instanceof z.ZodString) return "text";
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
