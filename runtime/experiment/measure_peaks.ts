import { DeviceError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import { adapterPeaks } from "../engine/peak_cache.ts";
import type { Peaks } from "../record/peaks.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Emit } from "../result/run_event.ts";
import type { RunProgress } from "./run_progress.ts";

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
): Promise<Peaks | null> {
  if (device === null || options.profile === null || options.interrupted()) return null;
  if (!runs.some((run) => run.running)) return null;
  const warn = (message: string) => options.onEvent?.({ type: "warning", kind: null, message });
  progress.at(null, "profile", 0, 0, { message: "the adapter's peaks" });
  try {
    return await adapterPeaks(device, { onWarning: warn });
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    warn(`The adapter's peaks were not measured: ${error.message}`);
    return null;
  }
}
