import type { CommandEntry } from "./command.ts";

/** The commands of `tacho`, each in a file of its own, in the order of `tacho --help`. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "run", summary: "run a scenario script", load: () => import("./run.ts") },
  { name: "runs", summary: "list the kept runs", load: () => import("./runs.ts") },
  { name: "show", summary: "print a kept run's matrix again", load: () => import("./show.ts") },
  { name: "report", summary: "write a kept run's report into a folder", load: () => import("./report.ts") },
  { name: "compare", summary: "hold two kept runs against each other", load: () => import("./compare.ts") },
  { name: "history", summary: "follow a metric over the kept runs", load: () => import("./history.ts") },
  { name: "resume", summary: "take up a run that was interrupted", load: () => import("./resume.ts") },
  { name: "repeat", summary: "run a kept run or a lock file again", load: () => import("./repeat.ts") },
  { name: "verify", summary: "check that losses come out again, bit by bit", load: () => import("./verify.ts") },
  { name: "lock", summary: "write an experiment as one file to send", load: () => import("./lock.ts") },
  { name: "gate", summary: "hold conditions against a kept run", load: () => import("./gate.ts") },
  { name: "baseline", summary: "set the run that gates compare with", load: () => import("./baseline.ts") },
  { name: "export", summary: "write kept runs as JSON or CSV", load: () => import("./export.ts") },
  { name: "prune", summary: "remove kept runs", load: () => import("./prune.ts") },
];
