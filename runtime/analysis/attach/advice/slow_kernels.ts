import type { KernelResult } from "../../../result/attach_result.ts";
import { digits } from "../../advice/evidence.ts";
import { count, counted, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";

/**
 * Fraction of the copy bandwidth below which a kernel is slow. A buffer that is read and written counts once, so that a
 * kernel at a quarter may move half of what a copy does.
 */
const FAR = 0.25;

/** Bytes of the bound buffers from which on bandwidth, not the launch, limits a kernel. */
const MIN_BYTES = 2 ** 20;

/** Kernels that the evidence names. */
const MAX_NAMES = 3;

/** Names elementwise kernels that are far below the copy bandwidth of the adapter, if it was measured before. */
export const slowKernels = programRule("slow-kernels", ({ device, account, copyGBs }) => {
  if (account === null || copyGBs === null) return null;
  const slow = device.kernels.flatMap((kernel) => {
    const { does, boundGBs, total, calls, perStep } = kernel;
    if (!isElementwise(does) || boundGBs === null || total === null || perStep === null) return [];
    const time = total / calls;
    // Bytes over ms and GB/s differ by a factor of 1e6
    if (boundGBs * time * 1e6 < MIN_BYTES || boundGBs >= FAR * copyGBs) return [];
    return [{ kernel, boundGBs, time: time * perStep, saved: time * perStep * (1 - boundGBs / copyGBs) }];
  }).sort((a, b) => b.saved - a.saved);
  if (slow.length === 0) return null;
  const saved = slow.reduce((sum, one) => sum + one.saved, 0);
  return {
    message: `${counted(slow.length, "elementwise kernel")} below ${count(FAR * 100)} % of the copy bandwidth`,
    fix:
      "let neighbouring threads access neighbouring elements, use vec4 loads and stores, and launch enough threads " +
      "to fill the device",
    evidence: [
      {
        label: "slowest",
        value: slow.slice(0, MAX_NAMES)
          .map(({ kernel, boundGBs, time }) => `${kernel.name} (${digits(boundGBs)} GB/s, ${ms(time)})`).join(", "),
      },
      { label: "copy bandwidth measured on the adapter", value: `${digits(copyGBs)} GB/s` },
    ],
    mostMs: Math.min(saved, account.kernels),
    reasoning: "time beyond that of reading or writing the bound buffers once at the copy bandwidth",
  };
});

/** Returns true for kernels that have no loop and share nothing. Others may be limited by arithmetic. */
function isElementwise(does: KernelResult["does"]): boolean {
  return /^(copy|map )/.test(does) && !/\b(dot|atomic\w*|shared memory|subgroups)\b/.test(does);
}
