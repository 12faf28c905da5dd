import { join, relative, resolve } from "node:path";
import { InputError, TachoError } from "../../core/errors.ts";
import { readTextIfAny } from "../../core/files.ts";
import { findAdapter } from "../../device/adapter.ts";
import { describeEnvironment } from "../../experiment/environment.ts";
import { collectModules, namedModules } from "../../store/collect_modules.ts";
import { openProject } from "../../store/script_project.ts";
import { runScript } from "../script_process.ts";
import { experimentArgs, flagValue } from "./experiment_args.ts";
import { pinImports } from "./fetch_imports.ts";
import type { Recipe } from "./recipe.ts";
import { z } from "zod";
import { adaptedSchema } from "../../result/schema.ts";
import { configSchema } from "../../result/config.ts";
import type { RunSpec } from "../../store/run_spec.ts";

/**
 * Returns the recipe of a script with its settings resolved here. Opens no device.
 *
 * @throws {InputError} if the script is not a local file or its scenario is wrong
 */
export async function recipeOfScript(script: string, args: readonly string[]): Promise<Recipe> {
  const kept = experimentArgs(args);
  const settings = await resolveScript(script, kept);
  const modules = await collectModules(script, namedModules(settings.variants.map(({ config }) => config)));
  const match = flagValue(kept, "--adapter");
  const adapter = await findAdapter(match === null ? {} : { match });
  await using project = await openProject(resolve(script));
  const environment = { ...await describeEnvironment(adapter?.info ?? null), lockHash: project.lockHash };
  const local = relative(Deno.cwd(), script);
  return {
    where: script,
    trusted: true,
    script: local.startsWith("..") ? script : local,
    modules,
    args: kept,
    cwd: null,
    started: Date.now(),
    spec: specOf(settings, modules[0]!.sha256, environment.tacho),
    environment,
    pinned: await pinImports(modules, script, true),
    result: null,
  };
}

/** Resolves the script's scenario in another process, with the script's own Deno configuration. */
async function resolveScript(script: string, args: readonly string[]): Promise<DryRun> {
  const folder = await Deno.makeTempDir({ prefix: "tacho-" });
  try {
    const target = join(folder, "dry_run.json");
    const code = await runScript(script, [...args, "--dry-run", "--json", target], Deno.cwd(), { quiet: true });
    const text = readTextIfAny(target);
    if (text === null && code !== 0) {
      throw new TachoError(`${script}: its scenario could not be resolved; see the error above`, code);
    }
    const settings = text === null ? null : readDryRun(text);
    if (settings !== null) return settings;
    throw new InputError(
      `${script}: is not a scenario script; expected one that ends with: if (import.meta.main) await run()`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

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
