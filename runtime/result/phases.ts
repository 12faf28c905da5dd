import { z } from "zod";

/** Name of a phase: safe to print, and not a property of `Object.prototype`. */
export const phaseNameSchema = z.string().regex(/^[a-z][a-zA-Z0-9]{0,39}$/).refine((name) => !(name in {}));

/** Returns the schema fields of values by phase ({@linkcode ByPhase} in `record/phases.ts`). */
export function byPhase<T extends z.ZodType>(value: T) {
  const field = value.nullable();
  return {
    forward: field,
    backward: field,
    update: field,
    /** Further phases by name; omitted if there are none. */
    phases: z.record(phaseNameSchema, field).optional(),
  };
}
