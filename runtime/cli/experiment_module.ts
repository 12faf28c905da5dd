/** The part of Tacho that the command line drives; tests replace it. */
export type Experiment = Pick<
  typeof import("../experiment/run_experiment.ts"),
  "runExperiment" | "followExperiment" | "dryRun"
>;
