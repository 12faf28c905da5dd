/**
 * The choice of an adapter by name: by WebGPU's power preference, or through the Vulkan loader before WebGPU asks it.
 *
 * @module
 */
import { environment } from "./environment.ts";
import type { VulkanDevice } from "./vulkan/physical_devices.ts";
import { listPhysicalDevices } from "./vulkan/physical_devices.ts";
import { type DriverDevice, findDevice, listByDriver, selectionOf, setVariables } from "./vulkan/selection.ts";

/** Request for an adapter, in WebGPU's terms. */
export interface AdapterChoice {
  readonly options: GPURequestAdapterOptions;
  /** Device that WebGPU is expected to open; null if any will do, or if none was found by its name. */
  readonly device: VulkanDevice | null;
  /** Names of the devices that a name can choose. */
  readonly available: readonly string[];
  /** Reason why an adapter that exists cannot be chosen; null without one. */
  readonly obstacle: string | null;
}

const ANY: AdapterChoice = { options: {}, device: null, available: [], obstacle: null };

/** True once this process has asked WebGPU for an adapter; from then on it has the loader's devices of that moment. */
let asked = false;

/**
 * Prepares the choice of an adapter, and sets the loader's variables for the rest of the process if the adapter is not
 * the only one. Without `match`, WebGPU's own first choice will do.
 */
export function chooseAdapter(match: string | undefined): AdapterChoice {
  const first = !asked;
  asked = true;
  if (match === undefined) return ANY;
  if (isPowerPreference(match)) return { ...ANY, options: { powerPreference: match } };
  if (Deno.build.os !== "linux" || environment("DENO_WEBGPU_BACKEND") !== "vulkan") {
    return {
      ...ANY,
      obstacle:
        "names choose among adapters on Linux with Vulkan only; low-power and high-performance choose elsewhere",
    };
  }
  const devices = listByDriver();
  if (devices === null) {
    return { ...ANY, obstacle: "names choose through the Vulkan loader, which needs --allow-ffi and --allow-env" };
  }
  const available = [...new Set(devices.map(({ device }) => device.name))];
  const found = findDevice(devices, match);
  return found === null ? { ...ANY, available } : { ...select(found, devices, first), available };
}

/** Returns true for the values of `--adapter` that WebGPU itself knows. */
export function isPowerPreference(match: string): match is GPUPowerPreference {
  return match === "low-power" || match === "high-performance";
}

function select(
  found: DriverDevice,
  devices: readonly DriverDevice[],
  first: boolean,
): Omit<AdapterChoice, "available"> {
  const { device } = found;
  const chosen = { options: preferenceFor(device), device, obstacle: null };
  if (isFirst(device, listPhysicalDevices())) return chosen;
  const variables = selectionOf(found, devices);
  const shown = Object.entries(variables).map(([name, value]) => `${name}=${value}`).join(" ");
  if (!first) {
    return {
      ...chosen,
      obstacle: `the script has asked for an adapter before. Set the variables in front of the command: ${shown}`,
    };
  }
  setVariables(variables);
  if (isFirst(device, listPhysicalDevices())) return chosen;
  return {
    ...chosen,
    obstacle: `the Vulkan loader lists another device of the driver first, even with ${shown}. ` +
      "Install Mesa's device selection layer (Debian: apt-get install mesa-vulkan-drivers)",
  };
}

/** Returns true if WebGPU opens this device: no device of its kind is listed before it. */
function isFirst(device: VulkanDevice, listed: readonly VulkanDevice[] | null): boolean {
  const rival = listed?.find(({ kind }) => kind === device.kind || device.kind === "cpu");
  return rival !== undefined && rival.name === device.name && rival.uuid === device.uuid && rival.pci === device.pci;
}

/** Returns the options with which WebGPU takes the first device of this kind. */
function preferenceFor({ kind }: VulkanDevice): GPURequestAdapterOptions {
  if (kind === "discrete") return { powerPreference: "high-performance" };
  return kind === "integrated" ? { powerPreference: "low-power" } : {};
}
