import { placeOp } from "../analysis/roofline.ts";
import { DeviceError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import { ABOVE_ROOF, adapterPeaks, knownPeaks } from "../engine/peak_cache.ts";
import { betterPeaks } from "../record/peak_choice.ts";
import type { Peaks } from "../record/peaks.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Emit } from "../result/run_event.ts";
import type { OpRecord } from "../result/ops.ts";
import type { RunProgress } from "./run_progress.ts";

/** Returns the highest share of its roof that an op reaches; 0 without timed ops. */
export function highestShare(ops: readonly OpRecord[], peaks: Peaks): number {
  return ops.reduce((highest, op) => Math.max(highest, placeOp(op, peaks)?.share ?? 0), 0);
}

/**
 * Asks for peaks again if an op exceeds its roof, since other load may have slowed their measurement.
 *
 * @returns the better of both, or the known ones if no op does or if the new measurement fails
 */
export async function peaksAbove(
  ops: readonly OpRecord[],
  known: Peaks | null,
  askAgain: () => Promise<Peaks | null>,
): Promise<Peaks | null> {
  if (known === null || highestShare(ops, known) <= ABOVE_ROOF) return known;
  const again = await askAgain();
  return again === null ? known : betterPeaks(known, again);
}

/** Returns true if a run is expected to measure the adapter's peaks. */
export function needsPeaks(
  device: Device | null,
  { profile }: { readonly profile: ProfileRequest | null },
): boolean {
  return device !== null && profile !== null && knownPeaks(device) === null;
}

/**
 * Returns the adapter's peak throughput and bandwidth if ops were profiled; else null. Measures them where there are none, or
 * where these ops show that one is too low.
 */
export async function measurePeaks(
  device: Device | null,
  runs: readonly { readonly running: boolean }[],
  options: {
    readonly profile: ProfileRequest | null;
    readonly onEvent?: Emit;
    readonly cache?: boolean;
    interrupted(): boolean;
  },
  progress: RunProgress,
  ops: readonly OpRecord[] = [],
): Promise<Peaks | null> {
  if (device === null || options.profile === null || options.interrupted()) return null;
  if (!runs.some((run) => run.running)) return null;
  const warn = (message: string) => options.onEvent?.({ type: "warning", kind: null, message });
  try {
    return await adapterPeaks(device, {
      onWarning: warn,
      reached: (peaks) => highestShare(ops, peaks),
      keep: options.cache ?? true,
      onProgress: (done, all) => progress.at(null, "peaks", done, all),
    });
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    warn(`The adapter's peaks were not measured: ${error.message}`);
    return null;
  }
}
