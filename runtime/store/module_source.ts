import { z } from "zod";

/** A module of the user's as it was when it ran: the script, and what it imports that is not Tacho's. */
export const moduleSourceSchema = z.strictObject({
  /** Relative to the folder that holds all of them; folders are parted by `/`. The script comes first. */
  path: z.string(),
  /** Of the text in UTF-8. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  text: z.string(),
  /**
   * What its imports lead to where their words do not say it, by these words: `tacho:mod.ts` for a module of Tacho's,
   * `./PATH` for one of these modules, otherwise an address such as `npm:zod@4.6.7`.
   */
  imports: z.record(z.string(), z.string()),
  /** What settings call it, as in `source({ module })`; empty where only imports lead to it. */
  names: z.array(z.string()),
});

export type ModuleSource = z.infer<typeof moduleSourceSchema>;

/** Begins an import that leads to a module of Tacho's. */
export const TACHO = "tacho:";

/**
 * Which modules that a script imports are not what they were, a line each; the script itself stands in the plan. Empty
 * where none were kept.
 */
export function moduleDifferences(kept: readonly ModuleSource[], now: readonly ModuleSource[]): string[] {
  if (kept.length === 0) return [];
  const [before, after] = [kept, now].map((modules) => new Map(modules.slice(1).map((one) => [one.path, one.sha256])));
  return [...new Set([...before!.keys(), ...after!.keys()])].flatMap((path) => {
    const [old, fresh] = [before!.get(path), after!.get(path)];
    if (old === fresh) return [];
    const what = fresh === undefined
      ? "was imported then"
      : old === undefined
      ? "is imported now"
      : "has been changed since";
    return [`${path} ${what}`];
  });
}
