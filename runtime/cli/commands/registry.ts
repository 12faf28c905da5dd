import type { CommandEntry } from "./command.ts";

/** Commands by group, in the order of `tacho --help`. */
const GROUPS: Readonly<Record<string, readonly Omit<CommandEntry, "group">[]>> = {
  "Start here": [
    { name: "run", summary: "run a scenario script", load: () => import("./run.ts") },
    { name: "attach", summary: "record any WebGPU program or page", load: () => import("./attach.ts") },
    { name: "versus", summary: "compare programs, or any commands", load: () => import("./versus.ts") },
    { name: "diff", summary: "compare two variants or programs op by op", load: () => import("./diff.ts") },
    { name: "show", summary: "print the matrix of a kept run again", load: () => import("./show.ts") },
    { name: "serve", summary: "show all kept runs in a browser", load: () => import("./serve.ts") },
    {
      name: "compare-commits",
      summary: "compare two commits or versions of a package",
      load: () => import("./compare_commits.ts"),
    },
    { name: "lock", summary: "write an experiment to one file to share", load: () => import("./lock.ts") },
    { name: "doctor", summary: "examine this machine and its adapters", load: () => import("./doctor.ts") },
    { name: "init", summary: "create a project", load: () => import("./init.ts") },
  ],
  "Prepare and run": [
    { name: "fit", summary: "find the largest batches that fit in memory", load: () => import("./fit.ts") },
    { name: "onnx", summary: "describe an ONNX file, and write a scenario for it", load: () => import("./onnx.ts") },
    { name: "isa", summary: "estimate kernels on AMD GPUs without a GPU", load: () => import("./isa.ts") },
    { name: "peaks", summary: "show or measure the peaks of adapters", load: () => import("./peaks.ts") },
    {
      name: "recorder",
      summary: "print the recorder as a script for any browser",
      load: () => import("./recorder.ts"),
    },
    { name: "resume", summary: "resume an interrupted run", load: () => import("./resume.ts") },
  ],
  "Look at kept runs": [
    { name: "runs", summary: "list the kept runs", load: () => import("./runs.ts") },
    { name: "report", summary: "write the report of a kept run to a folder", load: () => import("./report.ts") },
    { name: "compare", summary: "compare two kept runs", load: () => import("./compare.ts") },
    { name: "history", summary: "show a metric over the kept runs", load: () => import("./history.ts") },
    { name: "prune", summary: "remove kept runs", load: () => import("./prune.ts") },
  ],
  "Repeat and share": [
    { name: "repeat", summary: "run a kept run or a lock file again", load: () => import("./repeat.ts") },
    {
      name: "verify",
      summary: "check that a run's losses are reproduced bit for bit",
      load: () => import("./verify.ts"),
    },
    {
      name: "bundle",
      summary: "write a script to a folder that runs without a network",
      load: () => import("./bundle.ts"),
    },
    { name: "paper", summary: "write a kept run for a publication, in LaTeX", load: () => import("./paper.ts") },
    { name: "export", summary: "write kept runs as JSON or CSV", load: () => import("./export.ts") },
  ],
  CI: [
    { name: "gate", summary: "check conditions on a kept run", load: () => import("./gate.ts") },
    { name: "baseline", summary: "set the run that gates compare with", load: () => import("./baseline.ts") },
    { name: "bisect", summary: "find the commit that made a program slower", load: () => import("./bisect.ts") },
  ],
  Cluster: [
    { name: "submit", summary: "run a sweep in shards on a Slurm cluster", load: () => import("./submit.ts") },
    { name: "status", summary: "show how far the shards of a sweep are", load: () => import("./status.ts") },
    { name: "collect", summary: "merge the shards of a submitted sweep", load: () => import("./collect.ts") },
    { name: "merge", summary: "merge the shards of a sweep into one run", load: () => import("./merge.ts") },
  ],
  Shell: [
    { name: "completions", summary: "complete commands in a shell", load: () => import("./completions.ts") },
    { name: "help", summary: "explain a command, or the settings of scenarios", load: () => import("./help.ts") },
  ],
};

/** Commands of `tacho`, in the order of `tacho --help`. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(GROUPS).flatMap(([group, commands]) =>
  commands.map((command) => ({ ...command, group }))
);
