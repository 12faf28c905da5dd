import { join, relative } from "node:path";
import { z } from "zod";
import { InputError, TachoError } from "../../core/errors.ts";
import { findAdapter } from "../../device/adapter.ts";
import { describeEnvironment } from "../../experiment/environment.ts";
import { collectModules, namedModules } from "../../store/collect_modules.ts";
import { configSchema } from "../../result/config.ts";
import { runScript } from "../script_process.ts";
import { experimentArgs, flagValue } from "./experiment_args.ts";
import type { Recipe } from "./recipe.ts";

/** What `--dry-run --json` tells of a scenario, as far as it is needed here. */
const rehearsalSchema = z.looseObject({
  scenario: z.string(),
  baseline: z.string(),
  variants: z.array(z.looseObject({ name: z.string(), config: configSchema })).min(1),
});

/**
 * What it takes to run a script's experiment elsewhere, as its command line resolves it here. Opens no device.
 *
 * @throws {InputError} if the script is no local file or its scenario is wrong
 */
export async function recipeOfScript(script: string, args: readonly string[]): Promise<Recipe> {
  const kept = experimentArgs(args);
  const { scenario, baseline, variants } = await rehearse(script, kept);
  const modules = await collectModules(script, namedModules(variants.map(({ config }) => config)));
  const match = flagValue(kept, "--adapter");
  const adapter = await findAdapter(match === null ? {} : { match });
  const environment = await describeEnvironment(adapter?.info ?? null);
  const { seed } = variants[0]!.config;
  const local = relative(Deno.cwd(), script);
  return {
    where: script,
    script: local.startsWith("..") ? script : local,
    modules,
    args: kept,
    cwd: null,
    started: Date.now(),
    spec: {
      tacho: environment.tacho,
      scenario,
      sha256: modules[0]!.sha256,
      seed: seed ?? 1,
      baseline,
      variants: variants.map(({ name, config }) => ({ name, config })),
    },
    environment,
    result: null,
  };
}

/** Resolves the script's scenario in a process of its own, with the script's own configuration of Deno. */
async function rehearse(script: string, args: readonly string[]): Promise<z.infer<typeof rehearsalSchema>> {
  const folder = await Deno.makeTempDir({ prefix: "tacho-" });
  try {
    const target = join(folder, "rehearsal.json");
    const code = await runScript(script, [...args, "--dry-run", "--json", target], Deno.cwd(), { quiet: true });
    const text = await Deno.readTextFile(target).catch(() => null);
    if (text === null && code !== 0) {
      throw new TachoError(`${script}: its scenario could not be resolved, see above`, code);
    }
    const parsed = text === null ? null : rehearsalSchema.safeParse(JSON.parse(text));
    if (parsed?.success) return parsed.data;
    throw new InputError(
      `${script}: is no scenario script; expected one that ends with: if (import.meta.main) await run()`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
