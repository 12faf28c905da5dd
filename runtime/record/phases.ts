/**
 * Phases of a step, each with one or more timestamped passes of a plan. Plans, records, results and reports take any
 * phase by name, so a new phase takes one entry here.
 *
 * @module
 */

export interface Phase {
  /** Name in plans, records and results. */
  readonly name: string;
  /** Name in tables and on pages. */
  readonly label: string;
  readonly help: string;
}

/** Known phases, in the order of a step. */
export const PHASES: readonly Phase[] = [
  { name: "forward", label: "forward", help: "Device time of the forward pass" },
  { name: "backward", label: "backward", help: "Device time of the backward pass" },
  { name: "update", label: "update", help: "Device time of the update, with unscaling and the overflow test" },
];

/** Returns phases by name in the order of a step. Unknown names come last, unchanged. */
export function phasesNamed(names: Iterable<string>): Phase[] {
  const unique = new Set(names);
  const listed = PHASES.filter(({ name }) => unique.delete(name));
  return [...listed, ...Array.from(unique, (name) => ({ name, label: name, help: `Device time of ${name}` }))];
}

/** Phases with their own fields in steps and metrics. All others share a record there. */
const FIELDS = ["forward", "backward", "update"] as const;

type Field = (typeof FIELDS)[number];

/** One value for each phase; null if the phase was not measured. */
export type ByPhase<T> = { [field in Field]: T | null } & { phases?: Record<string, T | null> | undefined };

/** Arranges values by phase as results store them. */
export function toByPhase<T>(values: Iterable<readonly [phase: string, value: T | null]>): ByPhase<T> {
  const result: ByPhase<T> = { forward: null, backward: null, update: null };
  for (const [phase, value] of values) {
    if (isField(phase)) result[phase] = value;
    else (result.phases ??= {})[phase] = value;
  }
  return result;
}

/** Returns the value of one phase, or null if it was not measured. */
export function ofPhase<T>(record: ByPhase<T>, phase: string): T | null {
  return isField(phase) ? record[phase] : record.phases?.[phase] ?? null;
}

/** Returns the values of all measured phases. */
export function phaseValues<T>(record: ByPhase<T>): T[] {
  return [...FIELDS.map((field) => record[field]), ...Object.values(record.phases ?? {})]
    .filter((value) => value !== null) as T[];
}

/** Returns the phases that tables show, in the order of a step: those with fields, and any others in `names`. */
export function shownPhases(names: Iterable<string> = []): Phase[] {
  return phasesNamed([...FIELDS, ...names]);
}

/** Returns the phases that tables show for these records. */
export function phasesOf(records: readonly ByPhase<unknown>[]): Phase[] {
  return shownPhases(records.flatMap(({ phases = {} }) => Object.keys(phases)));
}

/** Returns true if results have a field for the phase. */
export function isField(phase: string): phase is Field {
  return (FIELDS as readonly string[]).includes(phase);
}
