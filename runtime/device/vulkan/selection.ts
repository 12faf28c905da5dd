/**
 * Chooses the adapter that WebGPU opens, by the variables of the Vulkan loader and of Mesa's device selection layer. They
 * work if they are set before the first request for an adapter.
 *
 * @module
 */
import { findDrivers, type VulkanDriver } from "./drivers.ts";
import { listPhysicalDevices, type VulkanDevice } from "./physical_devices.ts";

/** A device with the driver that provides it. */
export interface DriverDevice {
  readonly device: VulkanDevice;
  readonly driver: VulkanDriver;
}

/** Variables that select a device. */
export type SelectionVariables = Readonly<Record<string, string>>;

const DRIVER_FILES = "VK_DRIVER_FILES";

/**
 * Lists the devices of every driver, by listing each driver alone. Returns null if the loader cannot be called, or its
 * variables may not be set.
 */
export function listByDriver(drivers: readonly VulkanDriver[] = findDrivers()): DriverDevice[] | null {
  if (Deno.permissions.querySync({ name: "env" }).state !== "granted" || listPhysicalDevices() === null) return null;
  return drivers.flatMap((driver) =>
    withVariables({ [DRIVER_FILES]: driver.manifest }, () => listPhysicalDevices() ?? []).map((device) => ({
      device,
      driver,
    }))
  );
}

/**
 * Returns the device with `match` in its name, its driver, its UUID, its PCI address or its PCI identifiers (`10de:2330`),
 * or null.
 */
export function findDevice(devices: readonly DriverDevice[], match: string): DriverDevice | null {
  const wanted = match.toLowerCase();
  const texts = (
    { device }: DriverDevice,
  ) => [device.name, device.driver, device.uuid, device.pci, identifiers(device)];
  return devices.find((one) => texts(one).some((text) => text?.toLowerCase().includes(wanted))) ?? null;
}

/** Returns the variables that make a device the first that the loader lists. */
export function selectionOf({ device, driver }: DriverDevice, all: readonly DriverDevice[]): SelectionVariables {
  const others = all.filter((one) => one.driver.manifest === driver.manifest && one.device !== device);
  const twins = others.filter((one) => identifiers(one.device) === identifiers(device));
  const place = device.pci?.replaceAll(/[:.]/g, "_");
  return {
    [DRIVER_FILES]: driver.manifest,
    ...others.length === 0 ? {} : {
      MESA_VK_DEVICE_SELECT: identifiers(device),
      VK_LOADER_DEVICE_SELECT: identifiers(device, "0x"),
    },
    // Only Mesa's layer tells two devices of one model apart
    ...twins.length === 0 || place === undefined ? {} : { DRI_PRIME: `pci-${place}` },
  };
}

/** Sets the variables of a selection for the rest of the process. */
export function setVariables(variables: SelectionVariables): void {
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
}

/** Runs `work` with environment variables set, and restores them afterwards. */
function withVariables<T>(variables: SelectionVariables, work: () => T): T {
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  setVariables(variables);
  try {
    return work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

/** Returns the PCI identifiers of vendor and model, such as `10de:2330`. */
function identifiers({ vendorId, deviceId }: VulkanDevice, prefix = ""): string {
  return [vendorId, deviceId].map((id) => `${prefix}${id.toString(16).padStart(4, "0")}`).join(":");
}
