import type { AttachResult } from "../../../result/attach_result.ts";
import type { Finding } from "../../../result/finding.ts";
import { ms } from "./evidence.ts";

/** Largest part of a step that a finding promises to save, so that its gain stays finite. */
const MAX_SHARE = 0.99;

/** Returns the advice on a program as findings of a result, the largest saving first. The gains are upper limits. */
export function programFindings({ devices }: AttachResult): Finding[] {
  return devices.flatMap(({ advice }) => advice).toSorted((a, b) => b.share - a.share).map((advice): Finding => {
    const { kind, message, fix, evidence, mostMs, share, reasoning } = advice;
    return {
      kind,
      severity: "info",
      message: `${message}, at most ${ms(mostMs)} of a step: ${fix}`,
      evidence: evidence.map(({ label, value }) => ({ label, value, where: "program" })),
      changes: [],
      predicted: {
        gain: 1 / (1 - Math.min(share, MAX_SHARE)),
        reasoning: `at most ${ms(mostMs)} of a step: ${reasoning}`,
      },
    };
  });
}
