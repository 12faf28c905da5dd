/**
 * Brings results of earlier versions of Tacho to the current form of the schema.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { factsOf } from "../graph/op.ts";
import { opOfType } from "../nn/all_ops.ts";

/** A JSON object of any version. */
export type Fields = Readonly<Record<string, unknown>>;

/** Turns a result of one version into one of the next; `schemaVersion` is set by the caller. */
export type Migration = (result: Fields) => Fields;

/**
 * Changes to the form of results, oldest first: entry `i` turns version `i + 1` into version `i + 2`. A change to the schema
 * appends an entry here; entries that have been released never change.
 */
export const MIGRATIONS: readonly Migration[] = [
  // Ops say what kind of work they do, which was known by their type
  (result) => changeEach(result, ["variants", "ops"], addFacts),
  // The first losses and the skipped updates are judged
  (result) => {
    const counted = changeEach(result, ["variants"], (variant) => ({ ...variant, measuredOverflows: null }));
    return changeEach(counted, ["variants", "quality"], (quality) => ({ ...quality, first: null }));
  },
];

/** The version of results that this Tacho writes. */
export const SCHEMA_VERSION = 1 + MIGRATIONS.length;

/**
 * Returns a result of any earlier version in the current form. A value that is no result is returned as it is: the schema
 * says what is wrong with it.
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
      `${where}: the result has schema version ${version}, and this Tacho reads versions up to ${current}; update Tacho`,
    );
  }
  if (version < 1) return value;
  const migrated = migrations.slice(version - 1).reduce<Fields>((result, migrate) => migrate(result), value);
  return { ...migrated, schemaVersion: current };
}

/**
 * Applies `change` to every object at the end of a path of fields, through the lists on the way. Fields that are missing
 * or null stay as they are.
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

/** The parts of a chain of elementwise ops are in its kernel's name: `elementwise.relu+dropout.f32`. */
function addFacts(op: Fields): Fields {
  const definition = opOfType(String(op["type"]));
  const facts = definition === undefined ? { precision: "fixed", roles: [], aliases: {} } : factsOf(definition);
  const parts = [...new Set(String(op["kernel"]).split(/[.+]/))].flatMap((name) => opOfType(name) ?? []);
  const random = parts.some(({ type, roles }) => type !== definition?.type && roles?.includes("random"));
  return { ...op, ...facts, roles: random ? [...facts.roles, "random"] : facts.roles };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
