import type { CommandEntry } from "./command.ts";

/** Commands of `tacho`, in the order of `tacho --help`. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "run", summary: "run a scenario script", load: () => import("./run.ts") },
  { name: "attach", summary: "record any WebGPU program", load: () => import("./attach.ts") },
  { name: "versus", summary: "compare programs, each in a separate process", load: () => import("./versus.ts") },
  { name: "runs", summary: "list the kept runs", load: () => import("./runs.ts") },
  { name: "show", summary: "print the matrix of a kept run again", load: () => import("./show.ts") },
  { name: "report", summary: "write the report of a kept run to a folder", load: () => import("./report.ts") },
  { name: "paper", summary: "write a kept run for a publication, in LaTeX", load: () => import("./paper.ts") },
  { name: "compare", summary: "compare two kept runs", load: () => import("./compare.ts") },
  { name: "history", summary: "show a metric over the kept runs", load: () => import("./history.ts") },
  { name: "submit", summary: "run a sweep in shards on a Slurm cluster", load: () => import("./submit.ts") },
  { name: "status", summary: "show how far the shards of a sweep are", load: () => import("./status.ts") },
  { name: "collect", summary: "merge the shards of a submitted sweep", load: () => import("./collect.ts") },
  { name: "merge", summary: "merge the shards of a sweep into one run", load: () => import("./merge.ts") },
  {
    name: "bundle",
    summary: "write a script to a folder that runs without a network",
    load: () => import("./bundle.ts"),
  },
  { name: "resume", summary: "resume an interrupted run", load: () => import("./resume.ts") },
  { name: "repeat", summary: "run a kept run or a lock file again", load: () => import("./repeat.ts") },
  {
    name: "verify",
    summary: "check that a run's losses are reproduced bit for bit",
    load: () => import("./verify.ts"),
  },
  { name: "lock", summary: "write an experiment to one file to share", load: () => import("./lock.ts") },
  { name: "gate", summary: "check conditions on a kept run", load: () => import("./gate.ts") },
  { name: "baseline", summary: "set the run that gates compare with", load: () => import("./baseline.ts") },
  { name: "export", summary: "write kept runs as JSON or CSV", load: () => import("./export.ts") },
  { name: "peaks", summary: "show or measure the peaks of adapters", load: () => import("./peaks.ts") },
  { name: "prune", summary: "remove kept runs", load: () => import("./prune.ts") },
  { name: "doctor", summary: "examine this machine and its adapters", load: () => import("./doctor.ts") },
  { name: "init", summary: "create a project", load: () => import("./init.ts") },
  { name: "completions", summary: "complete commands in a shell", load: () => import("./completions.ts") },
];
