import { z } from "zod";

/** A user's module as it was when it ran: the script, or one of its imports outside Tacho. */
export const moduleSourceSchema = z.strictObject({
  /** Path relative to the common folder of all modules, with `/` as separator. The script comes first. */
  path: z.string(),
  /** Hash of the text in UTF-8. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  text: z.string(),
  /**
   * Targets of imports by specifier, if the specifier alone does not resolve: `tacho:mod.ts` for a module of Tacho,
   * `./PATH` for one of these modules, otherwise a URL such as `npm:zod@4.6.7`.
   */
  imports: z.record(z.string(), z.string()),
  /** Names of the module in settings, as in `source({ module })`; empty if only imports refer to it. */
  names: z.array(z.string()),
});

export type ModuleSource = z.infer<typeof moduleSourceSchema>;

/** Prefix of an import of a Tacho module. */
export const TACHO = "tacho:";

/**
 * Lists the imported modules that have changed, one line each. The script itself is compared by its spec. Returns an
 * empty list if no modules were kept.
 */
export function moduleDifferences(kept: readonly ModuleSource[], now: readonly ModuleSource[]): string[] {
  if (kept.length === 0) return [];
  const [before, after] = [kept, now].map((modules) => new Map(modules.slice(1).map((one) => [one.path, one.sha256])));
  return [...new Set([...before!.keys(), ...after!.keys()])].flatMap((path) => {
    const [old, fresh] = [before!.get(path), after!.get(path)];
    if (old === fresh) return [];
    const what = fresh === undefined ? "is no longer imported" : old === undefined ? "is now imported" : "has changed";
    return [`${path} ${what}`];
  });
}
