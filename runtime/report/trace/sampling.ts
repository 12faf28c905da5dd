import type { Sampling } from "../../record/timeline.ts";
import { formatNumber, formatPercent } from "../format.ts";

/** Describes how cores and threads were sampled, and the cost. */
export function samplingText({ interval, share }: Sampling): string {
  return `cores and threads sampled every ${formatNumber(interval)} ms, for ${formatPercent(share)} % of a core`;
}
