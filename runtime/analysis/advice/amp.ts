import type { OpRecord } from "../../result/ops.ts";
import type { Peaks } from "../../result/roofline.ts";
import { type AmpLevel, DATA_TYPES } from "../../scenario/amp_levels.ts";
import { placeOp } from "../roofline.ts";
import type { AdviceContext } from "./context.ts";
import { digits, ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { launchTime } from "./fixed_cost.ts";
import { isProduct, opTime } from "./op_times.ts";
import { shortened } from "./step_parts.ts";
import { usualShare } from "./peers.ts";

/** Advised level. */
const LEVEL: AmpLevel = "O2";

/** Proposes mixed precision if the adapter is faster in f16. */
export const amp = rule("amp", ["device", "ops", "peaks"], (context) => {
  const { device, ops, parts, peaks, settings } = context;
  if (settings.amp.level !== "O0" || peaks.f16 === null) return null;
  const all = opTime(ops);
  const products = opTime(ops.filter(isProduct));
  const launch = launchTime(context);
  const half = ops.reduce((sum, op) => sum + inF16(op, launch, peaks), 0);
  const added = addedTime(context, launch, peaks);
  const saved = device * (1 - (half + added) / all);
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
      `compute-bound ops speed up by the ratio of the peaks, memory-bound ops move half the bytes, launches and other ` +
      `ops stay the same, and conversions and loss scaling add ${ms(device * added / all)}: ${ms(device - saved)} on ` +
      `the device instead of ${ms(device)}${limit}`,
  };
});

/**
 * Returns the time of an op in f16: ms. An adapter with a lower peak in f16 converts each value to f32, in which kernels sum
 * anyway; that undoes what half the bytes save.
 */
function inF16(op: OpRecord, launch: number, peaks: Peaks): number {
  const time = op.median ?? 0;
  if (peaks.f16 === null || DATA_TYPES[LEVEL][op.precision] !== "f16") return time;
  const ratio = peaks.f32.value / peaks.f16.value;
  if (ratio > 1) return time;
  const launched = Math.min(time, op.dispatches * launch);
  return launched + (time - launched) * (placeOp(op, peaks)?.bound === "compute" ? ratio : 1 / 2);
}

/** Returns the time of the ops that only mixed precision has, such as conversions and the test for overflows: ms. */
function addedTime({ ops, plan }: AdviceContext, launch: number, peaks: Peaks): number {
  const [before, after] = plan === null ? [null, null] : [plan({ batch: 1 }), plan({ batch: 1, amp: LEVEL })];
  if (before === null || after === null) return 0;
  const perByte = 1000 / peaks.copy.value / usualShare(ops ?? [], launch, peaks);
  const added = [...after.work].flatMap(([id, work]) => before.work.has(id) ? [] : work);
  return added.reduce((sum, { bytes, dispatches }) => sum + dispatches * launch + bytes * perByte, 0);
}
