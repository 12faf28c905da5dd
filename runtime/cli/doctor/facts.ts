/**
 * Facts that `tacho doctor` collects about a machine, as plain data.
 *
 * @module
 */
import type { AdapterInfo } from "../../device/adapter.ts";
import type { VulkanDevice } from "../../device/vulkan/physical_devices.ts";

/** One way to an adapter, such as a driver of the Vulkan loader. */
export interface Route {
  /** Short name: `default`, the driver's manifest, or a backend of wgpu. */
  readonly name: string;
  /** Variables that take this route. */
  readonly variables: Readonly<Record<string, string>>;
  /** Manifest of the Vulkan driver; null for other routes. */
  readonly manifest: string | null;
  /** Library that the manifest names. */
  readonly library: string | null;
  /** True if Deno takes this route without being asked to. */
  readonly usual: boolean;
}

/** Findings of the process that probes a route. */
export interface Found {
  /** Adapter that WebGPU gives; null without one. */
  readonly adapter: AdapterInfo | null;
  /** Physical devices of the Vulkan loader; null if it cannot be asked. */
  readonly devices: readonly VulkanDevice[] | null;
  /** Step of the device's clock in ns; null without timestamps. */
  readonly clockStepNs: number | null;
  /** Names of the adapters for WebGPU's power preferences. */
  readonly lowPower: string | null;
  readonly highPerformance: string | null;
  /** Reason why the driver's library cannot be loaded; null if it can, or there is none. */
  readonly libraryError: string | null;
  /** Reason why the adapter cannot be opened. */
  readonly error: string | null;
}

export interface RouteResult extends Route {
  /** Findings of the probe; null if its process crashed or hung. */
  readonly found: Found | null;
  /** Such as `ended by SIGSEGV`; null if it ended well. */
  readonly failure: string | null;
}

/** A display controller or an accelerator on the PCI bus. */
export interface Gpu {
  readonly pci: string;
  readonly vendor: string;
  /** PCI identifiers, such as `10de:2330`. */
  readonly id: string;
  /** Kernel module that drives it; null without one. */
  readonly module: string | null;
}

/** A device file that drivers open. */
export interface DeviceNode {
  readonly path: string;
  readonly access: "granted" | "denied";
  /** Group that owns it, by number; null if unknown. */
  readonly group: number | null;
}

/** A folder that runs write to. */
export interface Folder {
  readonly purpose: "store" | "cache";
  readonly path: string;
  /** Variable that sets it. */
  readonly variable: string;
  /** Reason why it cannot be written; null if it can. */
  readonly error: string | null;
}

export interface Facts {
  readonly versions: { readonly tacho: string; readonly deno: string; readonly v8: string };
  readonly os: string;
  readonly cpu: string | null;
  readonly cores: number;
  /** Bytes of memory, and those that are free for use. */
  readonly memory: number | null;
  readonly freeMemory: number | null;
  readonly load: number | null;
  readonly governors: readonly string[];
  readonly onBattery: boolean;
  readonly routes: readonly RouteResult[];
  readonly gpus: readonly Gpu[];
  readonly nodes: readonly DeviceNode[];
  readonly folders: readonly Folder[];
  /** Permissions of Deno, by name. */
  readonly permissions: Readonly<Record<string, string>>;
  /** Variables that change the choice of an adapter or what it may do. */
  readonly variables: Readonly<Record<string, string>>;
  /** The machine's package manager; null if none is known. */
  readonly packages: string | null;
}

/** Returns the route that runs take. */
export function usualRoute({ routes }: Facts): RouteResult {
  return routes[0]!;
}
