import { count, counted, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";

/** Proposes one submit per step if several take time. */
export const submits = programRule("submits", ({ counts, account, starved }) => {
  if (counts.submits <= 1) return null;
  return {
    message: `${counted(counts.submits, "submit")} and ${counted(counts.encoders, "encoder")} per step, ` +
      `${counted(counts.dispatches / counts.submits, "dispatch", "dispatches")} per submit`,
    fix: "record the dispatches of a step with one encoder, and submit them together",
    evidence: [
      { label: "in calls of submit", value: `${ms(counts.submitMs)}, ${ms(counts.submitMs / counts.submits)} each` },
      { label: "compute passes per step", value: count(counts.computePasses) },
      { label: "device idle while the host encodes", value: account === null ? "–" : ms(account.idle.encode) },
    ],
    mostMs: Math.min(counts.submitMs * (1 - 1 / counts.submits), starved),
    reasoning: "time of all submits but one, capped by the device's time without submitted work",
  };
});
