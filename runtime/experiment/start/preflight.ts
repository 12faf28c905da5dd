/**
 * What may spoil a measurement, looked at before it begins: told and recorded, never a reason to refuse.
 *
 * @module
 */
import { join } from "node:path";
import type { AdapterInfo } from "../../device/adapter.ts";
import type { Procedure } from "../../result/schema.ts";

/** Load, as a part of the cores, from which other programs are worth a word. */
const BUSY = 0.4;

/** What the machine says of itself; null and empty where it does not. */
export interface MachineState {
  readonly cores: number;
  /** Mean number of threads that ran or wanted to in the last minute. */
  readonly load: number | null;
  /** How each group of cores chooses its clock rate. */
  readonly governors: readonly string[];
  readonly onBattery: boolean;
  /** Kernels run on the CPU; null without a device. */
  readonly softwareAdapter: boolean | null;
}

type Warning = Procedure["warnings"][number];

/** @param root where `/sys` lies */
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

export function preflightWarnings(machine: MachineState): Warning[] {
  const warnings: Warning[] = [];
  const warn = (kind: string, message: string) => void warnings.push({ kind, message });
  const { cores, load, governors } = machine;
  if (load !== null && load > BUSY * cores) {
    const where = cores === 1 ? "1 core" : `${cores} cores`;
    warn("load", `load average ${load.toFixed(2)} on ${where} before the run: other programs take time from it`);
  }
  const changing = [...new Set(governors)].filter((governor) => governor !== "performance");
  if (changing.length > 0) {
    warn("governor", `CPU governor ${changing.join(", ")}: clock rates follow the load; "performance" would hold them`);
  }
  if (machine.softwareAdapter === true) {
    warn("software-adapter", "software adapter: kernels, loader and other programs share the CPU's cores");
  }
  if (machine.onBattery) warn("battery", "on battery: clock rates may be held down; plug the machine in");
  return warnings;
}

/** The first line of `name` in each folder of `folder`; of what cannot be read, nothing. */
async function readAll(folder: string, name: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      const text = await Deno.readTextFile(join(folder, entry.name, name)).catch(() => "");
      const [line = ""] = text.split("\n");
      if (line !== "") lines.push(line.trim());
    }
  } catch {
    return lines; // no such folder on this system
  }
  return lines;
}
