import { resolve } from "node:path";
import { NO_ADAPTER } from "../../scenario/adapters.ts";
import { declaredFlags } from "../flags.ts";
import type { Recipe } from "./recipe.ts";
import type { VariantConfig } from "../../result/config.ts";
import type { VariantResult } from "../../result/schema.ts";

const SETTINGS_FOR = "--settings-for";

/** Flags that control the output or divide the variants among machines, and leave the measurement of a variant as it is. */
const OUTPUT_FLAGS = [
  "--json",
  "--json-lines",
  "--report",
  "--diff",
  "--diff-by",
  "--gate",
  "--gate-undecided",
  "--annotations",
  "--junit",
  "--shard",
  "--shard-dir",
  "--replicate",
  "--store",
  "--no-store",
  "--resume",
  "--list",
  "--dry-run",
  "--kernels",
  "--fit",
  "--sandbox",
  "--quiet",
  "--debug",
  "--no-color",
];

/**
 * Returns the part of a script's command line that controls the measurement. Output flags are removed, since a repeated run
 * must not overwrite the files of the first.
 */
export function experimentArgs(args: readonly string[]): string[] {
  return withoutFlags(args, OUTPUT_FLAGS);
}

/**
 * Returns the arguments that repeat the measurement of a recipe on any adapter: those of the first run, and the settings
 * by adapter that applied to it.
 *
 * @param more additional arguments, which win
 */
export function recipeArgs({ args, spec }: Pick<Recipe, "args" | "spec">, more: readonly string[] = []): string[] {
  const own = experimentArgs(args);
  const isGiven = [...own, ...more].some((arg) => arg === SETTINGS_FOR || arg.startsWith(`${SETTINGS_FOR}=`));
  if (isGiven || spec.adapters === undefined) return own;
  return [...own, `${SETTINGS_FOR}=${spec.adapters.join(",") || NO_ADAPTER}`];
}

/**
 * Returns a command line without some flags and their values.
 *
 * @param flags flags of the command line; those of a script by default
 */
export function withoutFlags(args: readonly string[], names: readonly string[], flags = declaredFlags()): string[] {
  const declared = new Map(flags.map(({ name, value }) => [name, value]));
  for (const name of names) if (!declared.has(name)) throw new Error(`Unknown flag ${name}`);
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const [name = arg] = arg.split("=");
    if (!names.includes(name)) {
      kept.push(arg);
      continue;
    }
    if (arg !== name) continue;
    const next = args[i + 1];
    const takes = declared.get(name);
    if (takes === "pair") i += 2;
    else if (takes === "required" || (takes === "optional" && next !== undefined && /^[^-][^=]*$/.test(next))) i++;
  }
  return kept;
}

/** Returns a command line with absolute paths, which are valid in any folder. `-` means stdout. */
export function withAbsolutePaths(args: readonly string[], cwd: string): string[] {
  const flags = declaredFlags().filter(({ isPath }) => isPath).map(({ name }) => name);
  const absolute = (path: string) => path === "-" || path === "" ? path : resolve(cwd, path);
  return args.map((arg, i) => {
    if (flags.includes(args[i - 1] ?? "")) return absolute(arg);
    const flag = flags.find((flag) => arg.startsWith(`${flag}=`));
    return flag === undefined ? arg : `${flag}=${absolute(arg.slice(flag.length + 1))}`;
  });
}

/** Returns the value of the last `--flag value` or `--flag=value`, or null. */
export function flagValue(args: readonly string[], flag: string): string | null {
  let value: string | null = null;
  args.forEach((arg, i) => {
    if (arg === flag) value = args[i + 1] ?? value;
    else if (arg.startsWith(`${flag}=`)) value = arg.slice(flag.length + 1);
  });
  return value;
}

/** Flags that change the measurement or the output, but no loss. */
const MEASURING_FLAGS = [
  "--steps",
  "--skip",
  "--rounds",
  "--precision",
  "--max-time",
  "--min-effect",
  "--measure",
  "--no-aa",
  "--verbosity",
  "--log",
  "--profile-steps",
  "--group-by",
  "--sort",
  "--top",
  "--pipeline",
  "--raw",
  "--advice",
  "--explain",
  "--bottleneck",
  "--tune",
  "--tune-time",
];

/** Settings that change the measurement, but no loss. */
const MEASURING_SETTINGS = /^(measure\.|epochs=|target[.=]|evaluate[.=]|profile[.=]|bottleneck=)/;

/** Flags and settings for one block of training without other measurements. */
const TRAINING = [
  "--rounds=1",
  "--no-aa",
  "--no-store",
  "measure.precision=null",
  "measure.maxTime=null",
  "target=null",
  "evaluate=null",
  "profile=null",
  "bottleneck=false",
];

/**
 * Returns the command line that trains for `steps` steps what `args` trained, and does nothing else. All steps are in one
 * block, except with kernels that were timed during warm-up: losses depend on the kernels, so the warm-up must come first.
 */
export function verifyArgs(
  args: readonly string[],
  steps: number,
  variants: readonly Pick<VariantResult, "config">[],
): string[] {
  const kept = withoutFlags(experimentArgs(args), MEASURING_FLAGS).filter((arg) => !MEASURING_SETTINGS.test(arg));
  const window = variants.some(({ config }) => hasTuningWindow(config));
  const warmUp = window ? ["--skip=1", "measure.maxSkip=1"] : ["--skip=0"];
  return [...kept, `--steps=${steps}`, ...warmUp, ...TRAINING];
}

/** Returns whether kernels are timed during the warm-up steps. */
function hasTuningWindow({ measure, epochs, compile }: VariantConfig): boolean {
  return (measure?.skip ?? 0) > 0 && epochs === null && (compile?.autotune ?? null) !== null;
}
