import { agreementOf } from "../../analysis/agreement/agreement.ts";
import { inputDifferences } from "../../analysis/environment_differences.ts";
import { ExitStatus } from "../../core/errors.ts";
import { renderAgreement } from "../../report/agreement.ts";
import { MISSING } from "../../report/format.ts";
import { wrap } from "../../report/wrap.ts";
import type { Result } from "../../result/schema.ts";
import { lookOfStdout, PROSE_WIDTH } from "../terminal.ts";
import type { Recipe } from "./recipe.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { type RunSpec, specDifferences } from "../../store/run_spec.ts";
import { portableVariants } from "../../library/kept/portable_spec.ts";

/**
 * Compares the result of a repeated run with that of the first, and prints whether they agree.
 *
 * @returns the exit status: 0 if the results agree, 1 if they do not; that of the run without a result to compare with, and
 *   after an interrupt
 */
export function conclude(
  recipe: Recipe,
  { status, result }: { readonly status: number; readonly result: Result },
  { say, color }: { readonly say: (text: string) => void; readonly color: boolean },
): number {
  const inputs = inputDifferences(recipe.environment, result.environment)
    .map(({ what, then, now }) => `${what}: ${then ?? MISSING} then, ${now ?? MISSING} now`);
  const changes = [...settingChanges(recipe.spec, result, recipe.modules), ...inputs];
  const sameSettings = changes.length === 0;
  if (!sameSettings) {
    const lines = changes.flatMap((line) => wrap(`  ${line}`, PROSE_WIDTH, 6));
    const what = inputs.length === 0 ? "settings" : inputs.length === changes.length ? "files" : "settings and files";
    say(["", `The ${what} differ from those of ${recipe.where}:`, ...lines, ""].join("\n"));
  }
  if (recipe.result === null || status === ExitStatus.interrupted) return status;
  const variants = agreementOf(recipe.result, result);
  say(`\n${renderAgreement(variants, { ...lookOfStdout(color), first: recipe.where, sameSettings })}`);
  const agree = sameSettings && variants.every(({ disagreements }) => disagreements.length === 0);
  return agree ? ExitStatus.ok : ExitStatus.gateFailed;
}

/**
 * Lists the differences between the settings of a repeated run and those of the first, one line each. Ignores the length of
 * the measurement, and the version of Tacho and the folder of the data, which are part of the environment.
 *
 * @param modules modules of the first run; the second used copies of them
 */
export function settingChanges(then: RunSpec, now: Result, modules: readonly ModuleSource[]): string[] {
  const { scenario: { name, sha256, seed }, baseline, variants } = now;
  const comparable = (spec: RunSpec): RunSpec => ({
    ...spec,
    variants: portableVariants(spec.variants, modules, () => "")
      .map(({ name, config: { measure: _, ...config } }) => ({ name, config })),
  });
  const spec = { tacho: then.tacho, scenario: name, sha256, seed, baseline, variants };
  return specDifferences(comparable(then), comparable(spec));
}
