import type { Finding } from "../../result/finding.ts";
import { ms, worthwhile } from "./evidence.ts";
import { type AdviceInput, settingsOf } from "./input.ts";
import { partsOf, stageTime } from "./step_parts.ts";

/** Hands batches over in shared memory where each is cloned now. */
export function sharedMemory(input: AdviceInput): Finding | null {
  const settings = settingsOf(input.variant);
  const parts = settings === null ? null : partsOf(input, settings);
  if (settings === null || parts === null || settings.loader.sharedMemory) return null;
  const workers = input.variant.pipeline?.numWorkers ?? 0;
  if (workers === 0) return null;
  const cloned = stageTime(input.variant, "handOver");
  // Batches come no faster than they are made
  const made = (parts.making?.total ?? 0) / workers;
  const saved = Math.max(0, Math.min(cloned, parts.reader, parts.step - made));
  return worthwhile({
    kind: "shared-memory",
    message: "Every batch is cloned on its way from its worker: hand it over in shared memory",
    evidence: [
      { label: "handing a batch over", value: ms(cloned), where: "pipeline" },
      { label: "reader cost", value: `${ms(parts.reader)} of ${ms(parts.step)}`, where: "queues" },
    ],
    changes: [{ path: "loader.sharedMemory", from: false, to: true }],
    gain: parts.step / (parts.step - saved),
    reasoning:
      `a hand-over in shared memory takes microseconds: of a step of ${ms(parts.step)}, ${ms(saved)} of waiting ` +
      "for it are saved",
  });
}
