/**
 * Checks of the machine before a run. Problems cause warnings, never a refusal.
 *
 * @module
 */
import { join } from "node:path";
import { readKernelFile } from "../../core/files.ts";
import type { AdapterInfo } from "../../device/adapter.ts";
import type { Procedure } from "../../result/schema.ts";

/** Load per core that causes a warning. */
const BUSY = 0.4;

/** State of the machine. Unknown fields are null or empty. */
export interface MachineState {
  readonly cores: number;
  /** Load average of the last minute: the mean number of running or runnable threads. */
  readonly load: number | null;
  /** CPU frequency governor of each group of cores. */
  readonly governors: readonly string[];
  readonly onBattery: boolean;
  /** True if kernels run on the CPU; null without a device. */
  readonly softwareAdapter: boolean | null;
}

type Warning = Procedure["warnings"][number];

/**
 * Reads the state of the machine.
 *
 * @param root folder that contains `sys`
 */
export async function machineState(adapter: AdapterInfo | null, root = "/"): Promise<MachineState> {
  const governors = await readAll(join(root, "sys/devices/system/cpu/cpufreq"), "scaling_governor");
  const supplies = join(root, "sys/class/power_supply");
  const [types, states] = [await readAll(supplies, "type"), await readAll(supplies, "status")];
  return {
    cores: navigator.hardwareConcurrency,
    load: Deno.build.os === "windows" ? null : Deno.loadavg()[0] ?? null,
    governors,
    onBattery: types.includes("Battery") && states.includes("Discharging"),
    softwareAdapter: adapter?.fallback ?? null,
  };
}

/** Returns warnings about a machine's state. */
export function preflightWarnings(machine: MachineState): Warning[] {
  const warnings: Warning[] = [];
  const warn = (kind: string, message: string) => void warnings.push({ kind, message });
  const { cores, load, governors } = machine;
  if (load !== null && load > BUSY * cores) {
    const where = cores === 1 ? "1 core" : `${cores} cores`;
    warn("load", `load average ${load.toFixed(2)} on ${where} before the run: other programs compete with it`);
  }
  const changing = [...new Set(governors)].filter((governor) => governor !== "performance");
  if (changing.length > 0) {
    warn(
      "governor",
      `CPU governor ${changing.join(", ")}: clock rates follow the load; "performance" keeps them constant`,
    );
  }
  if (machine.softwareAdapter === true) {
    warn("software-adapter", "software adapter: kernels, loader and other programs share the CPU cores");
  }
  if (machine.onBattery) warn("battery", "on battery: clock rates may be reduced; plug in the power supply");
  return warnings;
}

/** Returns the first line of the file `name` in each subfolder of `folder`, skipping unreadable files. */
async function readAll(folder: string, name: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      const line = firstLine(join(folder, entry.name, name));
      if (line !== "") lines.push(line);
    }
  } catch {
    return lines; // the system has no such folder
  }
  return lines;
}

function firstLine(path: string): string {
  try {
    return readKernelFile(path).split("\n", 1)[0]!.trim();
  } catch {
    return "";
  }
}
