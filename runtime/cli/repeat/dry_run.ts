import { z } from "zod";
import { adaptedSchema } from "../../result/schema.ts";
import { configSchema } from "../../result/config.ts";
import type { RunSpec } from "../../store/run_spec.ts";

/** The used part of the output of `--dry-run --json`. */
const dryRunSchema = z.looseObject({
  scenario: z.string(),
  baseline: z.string(),
  adapted: adaptedSchema.nullable(),
  variants: z.array(z.looseObject({ name: z.string(), config: configSchema })).min(1),
});

export type DryRun = z.infer<typeof dryRunSchema>;

/** Parses the output of `--dry-run --json`; null if it is something else. */
export function readDryRun(text: string): DryRun | null {
  try {
    return dryRunSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns the spec of a run with these settings.
 *
 * @param sha256 hash of the script
 * @param tacho version of Tacho
 */
export function specOf({ scenario, baseline, adapted, variants }: DryRun, sha256: string, tacho: string): RunSpec {
  const { seed } = variants[0]!.config;
  return {
    tacho,
    scenario,
    sha256,
    seed: seed ?? 1,
    baseline,
    ...adapted === null ? {} : { adapters: adapted.adapters },
    variants: variants.map(({ name, config }) => ({ name, config })),
  };
}
