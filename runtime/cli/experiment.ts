/** The part of Tacho that the command line drives; tests put a rehearsal in its place. */
export type Experiment = Pick<typeof import("../experiment/conductor.ts"), "runExperiment" | "dryRun">;
