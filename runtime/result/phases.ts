import { z } from "zod";

/** Name of a phase. It is safe to print, and no property of every object. */
export const phaseNameSchema = z.string().regex(/^[a-z][a-zA-Z0-9]{0,39}$/).refine((name) => !(name in {}));

/** Fields of a schema for values by phase ({@linkcode ByPhase} in `record/phases.ts`). */
export function byPhase<T extends z.ZodType>(value: T) {
  const field = value.nullable();
  return {
    forward: field,
    backward: field,
    update: field,
    /** Further phases by name; left out if there are none. */
    phases: z.record(phaseNameSchema, field).optional(),
  };
}
