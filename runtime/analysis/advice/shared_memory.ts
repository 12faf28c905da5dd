import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stageTime } from "./step_parts.ts";

/** Proposes shared memory if batches are cloned. */
export const sharedMemory = rule("shared-memory", ["pipeline"], ({ making, parts, pipeline, settings, workers }) => {
  if (settings.loader.sharedMemory || workers === 0) return null;
  const cloned = stageTime(pipeline, "handOver");
  // Batches come no faster than they are made
  const made = (making?.total ?? 0) / workers;
  const saved = Math.max(0, Math.min(cloned, parts.reader, parts.step - made));
  return {
    message: "Every batch is cloned on its way from the worker: pass it in shared memory",
    evidence: [
      { label: "handing a batch over", value: ms(cloned), where: "pipeline" },
      { label: "reader cost", value: `${ms(parts.reader)} of ${ms(parts.step)}`, where: "queues" },
    ],
    changes: [{ path: "loader.sharedMemory", from: false, to: true }],
    gain: parts.step / (parts.step - saved),
    reasoning:
      `a hand-over in shared memory takes microseconds: of a step of ${ms(parts.step)}, it saves ${ms(saved)} of ` +
      "waiting",
  };
});
