import type { VariantConfig } from "../../result/config.ts";
import type { VariantResult } from "../../result/schema.ts";
import { experimentArgs, withoutFlags } from "./experiment_args.ts";

/** Flags that change how long is measured or what is shown, and no loss. */
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
  "--bottleneck",
  "--tune",
  "--tune-time",
];

/** Settings of the same kind. */
const MEASURING_SETTINGS = /^(measure\.|epochs=|target[.=]|evaluate[.=]|profile[.=]|bottleneck=)/;

/** One block of nothing but training, which is the same whatever is measured besides. */
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
 * The command line that trains for `steps` steps what `args` trained, and does nothing else. All steps are of one block,
 * unless a variant's first ones were run before its kernels had been timed: losses are those of the kernels, so that its
 * window has to come before the block.
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
