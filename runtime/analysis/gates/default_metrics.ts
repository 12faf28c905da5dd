import { PHASES } from "../../record/phases.ts";
import { phaseMetric } from "./gate_metrics.ts";

/** Metrics that are compared by default, if they were measured. */
export const DEFAULT_METRICS: readonly string[] = [
  "ips",
  "speedup",
  "batchCost",
  "readerCost",
  "iterationGap",
  ...PHASES.map(({ name }) => phaseMetric(name)),
  "deviceBusy",
  "memory.peak",
  "finalLoss",
  "accuracy",
  "verdict",
];
