import { measureScenario } from "../../library/measure_scenario.ts";
import { program, VERSION_VARIABLE } from "../../scenario/program.ts";
import type { MeasureSettings } from "../../scenario/setting_types.ts";
import type { Result, VariantResult } from "../../result/schema.ts";
import { type Watched, watched } from "../watched.ts";
import { type PlannedVariant, planScript } from "./plan_script.ts";
import { type Version, versionText } from "./version.ts";
import { commandOf, type Workload } from "./workload.ts";

/** Names of the two versions in results and gates. */
export const [BEFORE, AFTER] = ["before", "after"] as const;

/** Two versions, and how they are compared. */
export interface VersionComparison {
  readonly workload: Workload;
  /** Variant of a script; null for its baseline. */
  readonly variant: string | null;
  readonly before: Version;
  readonly after: Version;
  /** Name of the comparison in the store. */
  readonly name: string;
  readonly measure: MeasureSettings;
  readonly seed: number;
  /** Rule that finds the steps of programs, as `--steps` of `tacho attach`. */
  readonly steps: string;
  /** Unit that a step processes, and the number of units; null for steps, or the samples of a script. */
  readonly unit: string | null;
  readonly perStep: number | null;
  /** Longest time without a step, in ms. */
  readonly timeout: number;
  /** Profiles programs after the measured blocks. */
  readonly profile: boolean;
  readonly store: boolean | string;
  readonly report: string | undefined;
}

/** Plans of a script in both versions. */
export interface PlannedPair {
  readonly before: PlannedVariant;
  readonly after: PlannedVariant;
}

/** Plans a workload in a version; null for a program, which has no plan. See {@linkcode planScript} for `kernels`. */
export async function planVersion(
  { workload, variant }: Pick<VersionComparison, "workload" | "variant">,
  version: Version,
  kernels = false,
): Promise<PlannedVariant | null> {
  return workload.kind === "program" ? null : await planScript(workload, variant, version, kernels);
}

/** Plans a workload in two versions; null for a program. */
export async function planVersions(
  { before, after, ...common }: Pick<VersionComparison, "workload" | "variant" | "before" | "after">,
  kernels = false,
): Promise<PlannedPair | null> {
  return pairOf(await planVersion(common, before, kernels), await planVersion(common, after, kernels));
}

/** Returns the plans of two versions; null for those of a program. */
export function pairOf(before: PlannedVariant | null, after: PlannedVariant | null): PlannedPair | null {
  return before === null || after === null ? null : { before, after };
}

/** Measures two versions in interleaved blocks, each in a separate process. */
export async function compareVersions(
  comparison: VersionComparison,
  plans: PlannedPair | null,
  view: { readonly signal: AbortSignal; readonly dataOnStdout: boolean },
): Promise<Watched> {
  const { workload, variant, before, after, name, measure, seed, steps, timeout, store, report } = comparison;
  const unit = comparison.unit ?? (plans === null ? "steps" : "samples");
  const arm = (version: Version, plan: PlannedVariant | undefined) => {
    const samples = plan?.config.loader?.batchSize ?? 1;
    const words = commandOf(workload, plan?.name ?? variant, version);
    // The result names the version by this variable, since the folder is temporary
    const env = { [VERSION_VARIABLE]: versionText(version) };
    const settings = { unit, perStep: comparison.perStep ?? samples, steps, timeout };
    return program(words, { ...settings, cwd: version.cwd, env, profile: comparison.profile });
  };
  const programs = { [BEFORE]: arm(before, plans?.before), [AFTER]: arm(after, plans?.after) };
  const options = report === undefined ? { store } : { store, report };
  const title = `${name}: before ${versionText(before)}, after ${versionText(after)}`;
  const outcome = await watched(
    title,
    view,
    (watch) => measureScenario({ name, measure, seed, programs }, options, watch, { file: null, sha256: null }),
  );
  return { ...outcome, result: outcome.result && withPlans(outcome.result, plans) };
}

/** Replaces what the profiles of both programs count by what both plans count. A version may have counts that others lack. */
function withPlans(result: Result, plans: PlannedPair | null): Result {
  if (plans === null) return result;
  const [before, after] = [plans.before.exact, plans.after.exact].map((exact) =>
    new Set(Object.entries(exact ?? {}).flatMap(([name, value]) => value === null ? [] : [name]))
  );
  const known = before!.intersection(after!);
  const planned = (variant: VariantResult): VariantResult => {
    const plan = variant.name === BEFORE ? plans.before : variant.name === AFTER ? plans.after : null;
    if (plan === null || plan.exact === null) return variant;
    const planned = Object.entries(plan.exact).filter(([name]) => known.has(name));
    const exact = { ...plan.exact, ...variant.exact, ...Object.fromEntries(planned) };
    return { ...variant, exact, memory: variant.memory ?? plan.memory };
  };
  return { ...result, variants: result.variants.map(planned) };
}
