/**
 * The phases of a step: one or several timestamped passes of a plan each. Plans, records, results and reports take any
 * phases by name, so that a new phase takes one entry here.
 *
 * @module
 */

export interface Phase {
  /** In plans, records and results. */
  readonly name: string;
  /** In tables and on pages. */
  readonly label: string;
  readonly help: string;
}

/** In the order of a step. */
export const PHASES: readonly Phase[] = [
  { name: "forward", label: "forward", help: "Device time of the forward pass" },
  { name: "backward", label: "backward", help: "Device time of the backward pass" },
  { name: "update", label: "update", help: "Device time of the update, with unscaling and the overflow test" },
];

/** Phases by name in the order of a step; names that are not listed come last, as they are. */
export function phasesNamed(names: Iterable<string>): Phase[] {
  const unique = new Set(names);
  const listed = PHASES.filter(({ name }) => unique.delete(name));
  return [...listed, ...Array.from(unique, (name) => ({ name, label: name, help: `Device time of ${name}` }))];
}

/** Phases with fields of their own in steps and metrics. All others share a record there. */
const FIELDS = ["forward", "backward", "update"] as const;

type Field = (typeof FIELDS)[number];

/** One value for each phase; null if it was not measured. */
export type ByPhase<T> = { [field in Field]: T | null } & { phases?: Record<string, T | null> | undefined };

/** Puts values where results hold them. */
export function toByPhase<T>(values: Iterable<readonly [phase: string, value: T | null]>): ByPhase<T> {
  const result: ByPhase<T> = { forward: null, backward: null, update: null };
  for (const [phase, value] of values) {
    if (isField(phase)) result[phase] = value;
    else (result.phases ??= {})[phase] = value;
  }
  return result;
}

/** The value of one phase; null where it was not measured. */
export function ofPhase<T>(record: ByPhase<T>, phase: string): T | null {
  return isField(phase) ? record[phase] : record.phases?.[phase] ?? null;
}

/** The values of all phases that were measured. */
export function phaseValues<T>(record: ByPhase<T>): T[] {
  return [...FIELDS.map((field) => record[field]), ...Object.values(record.phases ?? {})]
    .filter((value) => value !== null) as T[];
}

/** Phases that tables show: those with fields always, further ones if they are named. In the order of a step. */
export function shownPhases(names: Iterable<string> = []): Phase[] {
  return phasesNamed([...FIELDS, ...names]);
}

/** The phases that tables show of records. */
export function phasesOf(records: readonly ByPhase<unknown>[]): Phase[] {
  return shownPhases(records.flatMap(({ phases = {} }) => Object.keys(phases)));
}

/** Whether results have a field for a phase. */
export function isField(phase: string): phase is Field {
  return (FIELDS as readonly string[]).includes(phase);
}
