import { bytes, counted, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";

/** Proposes fewer waits if the device has no work while the program waits, or because it has waited. */
export const waits = programRule("waits", ({ counts, account, starved, wall }) => {
  if (account === null || counts.waits === 0) return null;
  const waiting = counts.waitMs + counts.sleepMs + account.idle.read;
  return {
    message: `${counted(counts.waits, "wait")} and ${counted(counts.reads, "mapped read")} per step`,
    fix: counts.waits > 1
      ? "copy all results of a step into one buffer and map it once, and read only every few steps"
      : "read results only every few steps, or submit the next step before awaiting them",
    evidence: [
      { label: "size of a mapped read", value: counts.reads === 0 ? "–" : bytes(counts.readBytes / counts.reads) },
      { label: "in calls that wait", value: ms(counts.waitMs) },
      { label: "runtime's sleep after waits", value: ms(counts.sleepMs) },
      { label: "device without submitted work", value: `${ms(starved)} of ${ms(wall)}` },
    ],
    mostMs: Math.min(waiting, starved),
    reasoning: "time of waits, sleep and reads, capped by the device's time without submitted work",
  };
});
