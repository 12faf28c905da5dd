/**
 * Migrates results of earlier versions of Tacho to the current schema.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { factsOf } from "../graph/op.ts";
import { opOfType } from "../nn/all_ops.ts";

/** A JSON object of any version. */
export type Fields = Readonly<Record<string, unknown>>;

/** Converts a result to the next version; the caller sets `schemaVersion`. */
export type Migration = (result: Fields) => Fields;

/**
 * Migrations, oldest first: entry `i` converts version `i + 1` to version `i + 2`. A change to the schema appends an entry;
 * released entries never change.
 */
export const MIGRATIONS: readonly Migration[] = [
  // Ops record their precision rule and roles, which followed from the type before
  (result) => changeEach(result, ["variants", "ops"], addFacts),
  // The first losses and the skipped updates are judged
  (result) => {
    const counted = changeEach(result, ["variants"], (variant) => ({ ...variant, measuredOverflows: null }));
    return changeEach(counted, ["variants", "quality"], (quality) => ({ ...quality, first: null }));
  },
  // Ops have a median, and shares follow from medians
  (result) => changeEach(result, ["variants"], addMedians),
];

/** Version of the results that this Tacho writes. */
export const SCHEMA_VERSION = 1 + MIGRATIONS.length;

/**
 * Converts a result of any earlier version to the current one. Returns a value that is not a result unchanged, since the
 * schema reports what is wrong with it.
 *
 * @param where name of the result, for messages: `run k3f2`
 * @throws {InputError} if a newer Tacho wrote the result
 */
export function migrateResult(value: unknown, where: string, migrations = MIGRATIONS): unknown {
  if (!isFields(value) || !Number.isInteger(value["schemaVersion"])) return value;
  const version = Number(value["schemaVersion"]);
  const current = 1 + migrations.length;
  if (version > current) {
    throw new InputError(
      `${where}: schema version ${version} is newer than this Tacho, which reads versions up to ${current}; update Tacho`,
    );
  }
  if (version < 1) return value;
  const migrated = migrations.slice(version - 1).reduce<Fields>((result, migrate) => migrate(result), value);
  return { ...migrated, schemaVersion: current };
}

/**
 * Applies `change` to every object at the end of a path of fields, including all items of lists on the way. Missing and
 * null fields are left unchanged.
 *
 * @example
 * ```ts
 * import { changeEach } from "./migrations.ts";
 *
 * const result = { variants: [{ name: "a", ops: [{ id: "conv" }] }] };
 * changeEach(result, ["variants", "ops"], (op) => ({ ...op, calls: 0 }));
 * ```
 */
export function changeEach<T>(value: T, path: readonly string[], change: (object: Fields) => Fields): T {
  const changed = (part: unknown, rest: readonly string[]): unknown => {
    if (Array.isArray(part)) return part.map((item) => changed(item, rest));
    if (!isFields(part)) return part;
    const [field, ...deeper] = rest;
    if (field === undefined) return change(part);
    return field in part ? { ...part, [field]: changed(part[field], deeper) } : part;
  };
  return changed(value, path) as T;
}

/** Adds precision and roles. The kernel name lists the ops of an elementwise chain: `elementwise.relu+dropout.f32`. */
function addFacts(op: Fields): Fields {
  const definition = opOfType(String(op["type"]));
  const facts = definition === undefined ? { precision: "fixed", roles: [], aliases: {} } : factsOf(definition);
  const parts = [...new Set(String(op["kernel"]).split(/[.+]/))].flatMap((name) => opOfType(name) ?? []);
  const random = parts.some(({ type, roles }) => type !== definition?.type && roles?.includes("random"));
  return { ...op, ...facts, roles: random ? [...facts.roles, "random"] : facts.roles };
}

/**
 * Adds medians to a variant's ops: the mean of the calls other than the shortest and the longest. That is the median of up to
 * four calls, and of more the estimate that sums and extremes allow.
 */
function addMedians(variant: Fields): Fields {
  const times = (op: Fields) => (["calls", "total", "min", "max"] as const).map((name) => Number(op[name]));
  const medianOf = (op: Fields): number | null => {
    if (op["mean"] === null) return null;
    const [calls, total, min, max] = times(op) as [number, number, number, number];
    return calls < 3 ? Number(op["mean"]) : Math.min(max, Math.max(min, (total - min - max) / (calls - 2)));
  };
  const ops: unknown = variant["ops"];
  if (!Array.isArray(ops)) return variant;
  const all = ops.reduce<number>((sum, op) => sum + (isFields(op) ? medianOf(op) ?? 0 : 0), 0);
  return changeEach(variant, ["ops"], (op) => {
    const median = medianOf(op);
    return { ...op, median, share: median === null || all <= 0 ? null : median / all };
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
