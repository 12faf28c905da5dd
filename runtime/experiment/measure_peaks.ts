import { placeOp } from "../analysis/roofline.ts";
import { DeviceError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import { adapterPeaks } from "../engine/peak_cache.ts";
import type { Peaks } from "../record/peaks.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Emit } from "../result/run_event.ts";
import type { OpRecord } from "../result/ops.ts";
import type { RunProgress } from "./run_progress.ts";

/** An op above this share of its roof shows that a peak was measured too low. */
const ABOVE_ROOF = 1.05;

/**
 * Measures peaks again if an op exceeds its roof, since other load may have slowed their measurement.
 *
 * @returns the known peaks if no op does, or if the new measurement fails
 */
export async function peaksAbove(
  ops: readonly OpRecord[],
  known: Peaks | null,
  measureAgain: () => Promise<Peaks | null>,
): Promise<Peaks | null> {
  if (known === null || !ops.some((op) => (placeOp(op, known)?.share ?? 0) > ABOVE_ROOF)) return known;
  return await measureAgain() ?? known;
}

/** Measures the adapter's peak throughput and bandwidth if ops were profiled; else returns null. */
export async function measurePeaks(
  device: Device | null,
  runs: readonly { readonly running: boolean }[],
  options: {
    readonly profile: ProfileRequest | null;
    readonly onEvent?: Emit;
    interrupted(): boolean;
  },
  progress: RunProgress,
  remeasure = false,
): Promise<Peaks | null> {
  if (device === null || options.profile === null || options.interrupted()) return null;
  if (!runs.some((run) => run.running)) return null;
  const warn = (message: string) => options.onEvent?.({ type: "warning", kind: null, message });
  progress.at(null, "profile", 0, 0, { message: "the adapter's peaks" });
  try {
    return await adapterPeaks(device, { onWarning: warn, remeasure });
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    warn(`The adapter's peaks were not measured: ${error.message}`);
    return null;
  }
}
