import { basename, join } from "node:path";
import { readKernelFile } from "../../core/files.ts";
import { reasonOf } from "../../core/shown.ts";
import type { EnergySource, EnergySources } from "./energy_source.ts";
import { PowerSampler } from "./power_sampler.ts";

/** Drivers of GPUs that report to hwmon. NVIDIA's own does not, see NVML. */
const DRIVERS = ["amdgpu", "i915", "xe", "nouveau"];

/** Counter of energy in microjoules. */
const ENERGY = "energy1_input";

/** Power in microwatts: an average over the driver's own interval, or the current value. */
const POWER = ["power1_average", "power1_input"];

/**
 * Opens the sensors of GPUs in Linux's hwmon tree: a counter of energy where the driver has one (Intel), otherwise the
 * power, which a worker samples and sums up (AMD). An integrated AMD GPU reports the power of its package.
 *
 * Source: Linux kernel, Documentation/hwmon/sysfs-interface.rst and Documentation/gpu/amdgpu/thermal.rst.
 *
 * @param root folder that contains `sys`
 * @param packages true if the packages of processors are counted already, which leaves out integrated AMD GPUs
 */
export function hwmonSources(root: string, packages: boolean): EnergySources {
  const folder = join(root, "sys/class/hwmon");
  let monitors: string[];
  try {
    monitors = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "this system has none" : reasonOf(error);
    return { sources: [], missing: [`hwmon: ${folder} cannot be listed (${why})`] };
  }
  const sources: EnergySource[] = [];
  const missing: string[] = [];
  const sampled: { name: string; path: string }[] = [];
  for (const monitor of monitors) {
    const at = join(folder, monitor);
    const driver = firstLine(join(at, "name"));
    if (driver === null || !DRIVERS.includes(driver)) continue;
    if (driver === "amdgpu" && packages && isIntegrated(at)) continue;
    const name = `${driver} ${deviceOf(at)}`;
    const energy = join(at, ENERGY);
    if (numberIn(energy) !== null) {
      sources.push(new Counter(name, energy));
      continue;
    }
    const power = POWER.map((file) => join(at, file)).find((path) => numberIn(path) !== null);
    if (power === undefined) missing.push(`hwmon: ${at} of ${name} has neither ${[ENERGY, ...POWER].join(" nor ")}`);
    else sampled.push({ name, path: power });
  }
  if (sampled.length > 0) sources.push(...new PowerSampler(sampled).sources);
  if (sources.length === 0 && missing.length === 0) missing.push(`hwmon: ${folder} has no GPU`);
  return { sources, missing };
}

/** Counter in microjoules, which starts at 0 again when the GPU has been reset. */
class Counter implements EnergySource {
  readonly name: string;
  readonly #path: string;
  #last: number;
  #sum = 0;

  constructor(name: string, path: string) {
    this.name = name;
    this.#path = path;
    this.#last = numberIn(path) ?? 0;
  }

  joules(): number {
    const now = numberIn(this.#path) ?? this.#last;
    this.#sum += now >= this.#last ? now - this.#last : now;
    this.#last = now;
    return this.#sum / 1e6;
  }
}

/** Returns true for a GPU in a processor's package, whose driver knows no vendor of its memory. */
function isIntegrated(monitor: string): boolean {
  const vendor = firstLine(join(monitor, "device/mem_info_vram_vendor"));
  return vendor === null || vendor === "unknown";
}

/** Returns the PCI address of a sensor's device, or the name of the sensor if it has none. */
function deviceOf(monitor: string): string {
  try {
    return basename(Deno.realPathSync(join(monitor, "device")));
  } catch {
    return basename(monitor);
  }
}

function numberIn(path: string): number | null {
  const text = firstLine(path);
  return text === null || text === "" || !Number.isFinite(Number(text)) ? null : Number(text);
}

/** Returns the first line of a file; null if it cannot be read. */
function firstLine(path: string): string | null {
  try {
    return readKernelFile(path).split("\n", 1)[0]!.trim();
  } catch {
    return null;
  }
}
