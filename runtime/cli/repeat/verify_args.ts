import { experimentArgs, type FlagValues, withoutFlags } from "./experiment_args.ts";

/** Flags that change how long is measured or what is shown, and no loss. */
const MEASURING_FLAGS: FlagValues = {
  "--steps": "one",
  "--skip": "one",
  "--rounds": "one",
  "--precision": "one",
  "--max-time": "one",
  "--min-effect": "one",
  "--no-aa": "none",
  "--verbosity": "one",
  "--log": "one",
  "--profile-steps": "one",
  "--group-by": "one",
  "--sort": "one",
  "--top": "one",
  "--pipeline": "none",
  "--raw": "none",
  "--advice": "none",
  "--bottleneck": "none",
  "--tune": "none",
  "--tune-time": "one",
};

/** Settings of the same kind. */
const MEASURING_SETTINGS = /^(measure\.|epochs=|target[.=]|evaluate[.=]|profile[.=]|bottleneck=)/;

/** One block of nothing but training, which is the same whatever is measured besides. */
const TRAINING = [
  "--skip=0",
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

/** The command line that trains for `steps` steps what `args` trains, and does nothing else. */
export function verifyArgs(args: readonly string[], steps: number): string[] {
  const kept = withoutFlags(experimentArgs(args), MEASURING_FLAGS).filter((arg) => !MEASURING_SETTINGS.test(arg));
  return [...kept, `--steps=${steps}`, ...TRAINING];
}
