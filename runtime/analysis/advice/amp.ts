import type { OpRecord } from "../../result/ops.ts";
import type { Peaks } from "../../result/roofline.ts";
import { type AmpLevel, DATA_TYPES } from "../../scenario/amp_levels.ts";
import { placeOp } from "../roofline.ts";
import { digits, ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { isProduct, opTime } from "./op_times.ts";
import { shortened } from "./step_parts.ts";

/** Advised level. */
const LEVEL: AmpLevel = "O2";

/** Proposes mixed precision if the adapter is faster in f16. */
export const amp = rule("amp", ["device", "ops", "peaks"], ({ device, ops, parts, peaks, settings }) => {
  if (settings.amp.level !== "O0" || peaks.f16 === null) return null;
  const all = opTime(ops);
  const products = opTime(ops.filter(isProduct));
  const half = ops.reduce((sum, op) => sum + (op.median ?? 0) * inF16(op, peaks), 0);
  const saved = device * (1 - half / all);
  const { gain, limit } = shortened(parts, saved);
  return {
    message: "This adapter is faster in f16: train in mixed precision",
    evidence: [
      {
        label: "peaks",
        value: `f32 ${digits(peaks.f32.value / 1e9)} GFLOP/s, f16 ${digits(peaks.f16.value / 1e9)} GFLOP/s`,
        where: "roofline",
      },
      { label: "products and convolutions", value: `${ms(products)} of ${ms(all)}`, where: "ops" },
    ],
    changes: [{ path: "amp.level", from: "O0", to: LEVEL }],
    gain,
    reasoning:
      `compute-bound ops speed up by the ratio of the peaks, memory-bound ops move half the bytes, other ops ` +
      `stay the same: ${ms(device - saved)} on the device instead of ${ms(device)}${limit}`,
  };
});

/**
 * Returns the time of an op in f16 / in f32. An adapter without f16 arithmetic converts each value, which slows down
 * memory-bound ops although they move half the bytes. Kernels that sum in f32 exceed its f16 peak: half of the difference is
 * predicted, as by the rule `slower-in-f16`.
 */
function inF16(op: OpRecord, peaks: Peaks): number {
  if (peaks.f16 === null || DATA_TYPES[LEVEL][op.precision] !== "f16") return 1;
  const ratio = peaks.f32.value / peaks.f16.value;
  const slower = ratio > 1 ? 2 * ratio / (ratio + 1) : ratio;
  return placeOp(op, peaks)?.bound === "compute" ? slower : Math.max(1, slower) / 2;
}
