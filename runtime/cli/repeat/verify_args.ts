import type { VariantConfig } from "../../result/config.ts";
import type { VariantResult } from "../../result/schema.ts";
import { experimentArgs, withoutFlags } from "./experiment_args.ts";

/** Flags that change the measurement or the output, but no loss. */
const MEASURING_FLAGS = [
  "--steps",
  "--skip",
  "--rounds",
  "--precision",
  "--max-time",
  "--min-effect",
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
