/**
 * Finds adapters and opens devices. The only module that uses `navigator.gpu`.
 *
 * @module
 */
import { reasonOf } from "../core/shown.ts";
import { DeviceError } from "../core/errors.ts";
import { type AdapterChoice, chooseAdapter, isPowerPreference } from "./choice.ts";
import { environment, prepareEnvironment, unwantedFeatures, USUAL_BACKEND, wantedKernels } from "./environment.ts";
import { hidesSubgroupSize, measureSubgroupSize, reportedSubgroupSize } from "./subgroups.ts";
import type { DeviceTraits } from "./traits.ts";
import { listPhysicalDevices, type VulkanDevice } from "./vulkan/physical_devices.ts";

/** Description of an adapter; `null` for what the runtime does not report. */
export interface AdapterInfo {
  /** Name, such as `NVIDIA H200`. */
  readonly name: string;
  /** Vendor of the hardware. */
  readonly vendor: string | null;
  /** Graphics API, such as `vulkan`. */
  readonly backend: string | null;
  /** Name and version of the driver. */
  readonly driver: string | null;
  /** UUID by which the driver knows the device, as 32 hexadecimal digits. */
  readonly uuid: string | null;
  /** Address on the PCI bus, such as `0000:01:00.0`. */
  readonly pci: string | null;
  /** True for a software adapter, which runs kernels on the CPU's cores. */
  readonly fallback: boolean;
  /** WebGPU features that the adapter supports. */
  readonly features: readonly string[];
  /** WebGPU limits by name. */
  readonly limits: Readonly<Record<string, number>>;
}

export interface FoundAdapter {
  /** Not yet used for a device. An adapter opens one device only. */
  readonly adapter: GPUAdapter;
  readonly info: AdapterInfo;
  readonly traits: DeviceTraits;
}

export interface AdapterRequest {
  /**
   * Part of the adapter's name, driver, UUID or PCI address (case-insensitive), or `low-power`, or `high-performance`.
   */
  readonly match?: string | undefined;
  /** Features to leave unused even if the adapter has them. */
  readonly without?: readonly GPUFeatureName[];
  /** False opens no device to test for subgroups, but assumes them if the adapter reports one subgroup size. */
  readonly probe?: boolean;
}

/** Limits to request at the adapter's maximum, since WebGPU's defaults are low. */
const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
] as const;

const FEATURES = ["timestamp-query", "shader-f16"] as const;

/** A feature that Deno grants if the adapter has it, but does not list. */
const UNLISTED = "subgroups" as GPUFeatureName;

/**
 * Finds an adapter, or returns `null`. Unless `probe` is false, opens and closes a bare device (about 15 ms): requesting
 * subgroups is the only way to find out whether Deno grants them.
 *
 * @throws {DeviceError} if `match` names no adapter, or one that cannot be chosen
 */
export async function findAdapter(request: AdapterRequest = {}): Promise<FoundAdapter | null> {
  prepareEnvironment();
  const choice = chooseAdapter(request.match);
  const first = await askFor(choice);
  if (first === null) return null;
  const subgroups = request.probe === false ? reportedSubgroups(first) : await probeSubgroups(first);
  // A device uses up its adapter, and the probe has opened one
  const adapter = request.probe === false ? first : await askFor(choice);
  if (adapter === null) return null;
  const features = wantedFeatures(adapter, request);
  if (subgroups.granted && !refusedFeatures(request).includes(UNLISTED)) features.push(UNLISTED);
  return { adapter, ...describe(adapter, features, choice, subgroups.size, request) };
}

/**
 * Finds an adapter, like {@linkcode findAdapter}.
 *
 * @throws {DeviceError} if there is no adapter
 */
export async function requireAdapter(request: AdapterRequest = {}): Promise<FoundAdapter> {
  const found = await findAdapter(request);
  if (found === null) throw noAdapter();
  return found;
}

async function askFor({ options }: AdapterChoice): Promise<GPUAdapter | null> {
  return await navigator.gpu?.requestAdapter(options) ?? null;
}

function refusedFeatures({ without = [] }: AdapterRequest): readonly GPUFeatureName[] {
  return [...without, ...unwantedFeatures([...FEATURES, UNLISTED])];
}

/** Returns the listed features to open a device with. */
function wantedFeatures(adapter: GPUAdapter, request: AdapterRequest): GPUFeatureName[] {
  const refused = refusedFeatures(request);
  return FEATURES.filter((feature) => adapter.features.has(feature) && !refused.includes(feature));
}

/**
 * Describes an adapter with the features that a device has or would have.
 *
 * @throws {DeviceError} if it is not the one that the request names
 */
function describe(
  adapter: GPUAdapter,
  features: readonly GPUFeatureName[],
  choice: AdapterChoice,
  subgroupSize: number | null,
  { match }: AdapterRequest,
): Pick<FoundAdapter, "info" | "traits"> {
  const info = describeAdapter(adapter, features, choice);
  if (match !== undefined && !isPowerPreference(match)) checkChoice(match, info, choice);
  return { info, traits: traitsOf(adapter, info, subgroupSize) };
}

/** @throws {DeviceError} if the adapter is not the one that `match` names */
function checkChoice(match: string, { name, driver, uuid, pci }: AdapterInfo, choice: AdapterChoice): void {
  const { device, available, obstacle } = choice;
  if (device !== null) {
    if (name === device.name && obstacle === null) return;
    const reason = obstacle ?? `WebGPU opened "${name}" instead`;
    throw new DeviceError(`--adapter: "${device.name}" exists but cannot be chosen: ${reason}`);
  }
  if ([name, driver, uuid, pci].some((text) => text?.toLowerCase().includes(match.toLowerCase()))) return;
  const others = available.length < 2
    ? `the available one is "${name}"`
    : `expected part of ${available.map((other) => `"${other}"`).join(" or ")}`;
  const reason = obstacle === null ? "" : ` (${obstacle})`;
  throw new DeviceError(
    `--adapter: no adapter matches "${match}"; ${others}. Omit the flag to use "${name}"${reason}`,
  );
}

/** Returns the variables that choose a back end or a driver in place of the usual ones, with their values. */
function driverChoices(): string[] {
  return ["DENO_WEBGPU_BACKEND", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"].flatMap((name) => {
    const value = environment(name);
    return value === null || value === USUAL_BACKEND && name === "DENO_WEBGPU_BACKEND" ? [] : [`${name}=${value}`];
  });
}

function noAdapter(): DeviceError {
  const choices = driverChoices();
  const them = choices.length === 1 ? "it" : "them";
  return new DeviceError(
    choices.length > 0
      ? `No WebGPU adapter found with ${choices.join(" ")}; unset ${them}, or see what tacho doctor says`
      : "No WebGPU adapter found. Install a Vulkan driver for the GPU, or the software driver (Debian: apt-get " +
        "install mesa-vulkan-drivers; scripts/setup.sh installs it); tacho doctor says what is wrong",
  );
}

interface Subgroups {
  readonly granted: boolean;
  /** Lanes of every subgroup; null if they differ. */
  readonly size: number | null;
}

function reportedSubgroups({ info }: GPUAdapter): Subgroups {
  const size = reportedSubgroupSize(info);
  return { granted: size !== null, size };
}

/** Requests a device with subgroup operations, the only way to find out whether they are available. */
async function probeSubgroups(adapter: GPUAdapter): Promise<Subgroups> {
  let device: GPUDevice;
  try {
    device = await adapter.requestDevice({ label: "probe", requiredFeatures: [UNLISTED] });
  } catch {
    return { granted: false, size: null };
  }
  const size = await subgroupSize(adapter, device);
  device.destroy();
  return { granted: true, size };
}

/** Returns the size of an adapter's subgroups, measured on a device with subgroup operations if it is not reported. */
async function subgroupSize(adapter: GPUAdapter, device: GPUDevice): Promise<number | null> {
  const reported = reportedSubgroupSize(adapter.info);
  if (reported !== null || !hidesSubgroupSize(nameOf(adapter))) return reported;
  return await measureSubgroupSize(device).catch(() => null); // with an unknown size, kernels use no subgroups
}

function nameOf({ info }: Pick<GPUAdapter, "info">): string {
  return info.description || info.device || "unnamed adapter";
}

/** The members that an adapter and its devices have in common. */
interface Described {
  readonly info: GPUAdapterInfo;
  readonly limits: GPUSupportedLimits;
}

/** Members of a device that describe it. */
export interface DescribedDevice extends Pick<GPUDevice, "adapterInfo" | "limits"> {
  readonly features: Iterable<string>;
}

/** Describes a device that somebody else opened, with the limits and features that it was opened with. */
export function describeDevice(gpu: DescribedDevice): { info: AdapterInfo; traits: DeviceTraits } {
  const described = { info: gpu.adapterInfo, limits: gpu.limits };
  const features = [...gpu.features] as GPUFeatureName[];
  const info = describeAdapter(described, features, chooseAdapter(undefined));
  return { info, traits: traitsOf(described, info, reportedSubgroupSize(gpu.adapterInfo)) };
}

function describeAdapter(
  adapter: Described,
  granted: readonly GPUFeatureName[],
  { device }: AdapterChoice,
): AdapterInfo {
  const { vendor, isFallbackAdapter } = adapter.info;
  const name = nameOf(adapter);
  const { driver = null, uuid = null, pci = null } = vulkanDevice(name, vendor, device) ?? {};
  const limits: Record<string, number> = {};
  for (const key of LIMITS) limits[key] = adapter.limits[key];
  return {
    name,
    vendor: vendor === "" ? null : vendor,
    backend: backendName(),
    driver,
    uuid,
    pci,
    fallback: isFallbackAdapter || /llvmpipe|lavapipe|swiftshader|softpipe|basic render|\bwarp\b/i.test(name),
    features: [...granted].sort(),
    limits,
  };
}

/** The Vulkan loader's devices when the first adapter was described; null before. */
let listed: readonly VulkanDevice[] | null = null;

/** Returns what the Vulkan loader knows about an adapter; null if it is not called, or lists several of this name. */
function vulkanDevice(name: string, vendor: string, chosen: VulkanDevice | null): VulkanDevice | null {
  if (backendName() !== "vulkan") return null;
  if (chosen?.name === name) return chosen;
  // WebGPU keeps the devices of its first request, and creating a Vulkan instance takes some 10 ms
  listed ??= listPhysicalDevices() ?? [];
  const alike = listed.filter((device) => device.name === name && String(device.vendorId) === vendor);
  return alike.length === 1 ? alike[0]! : null;
}

function traitsOf({ limits }: Described, info: AdapterInfo, subgroupSize: number | null): DeviceTraits {
  return {
    class: wantedKernels() ?? (info.fallback ? "cpu" : "gpu"),
    f16: info.features.includes("shader-f16"),
    timestamps: info.features.includes("timestamp-query"),
    subgroupSize: info.features.includes(UNLISTED) ? subgroupSize : null,
    maxWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    maxStorageBindingBytes: limits.maxStorageBufferBindingSize,
    maxBufferBytes: limits.maxBufferSize,
    maxStorageBuffers: limits.maxStorageBuffersPerShaderStage,
    maxInvocations: limits.maxComputeInvocationsPerWorkgroup,
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
  };
}

/** A device with a description of its adapter. */
export interface OpenedDevice {
  readonly gpu: GPUDevice;
  readonly info: AdapterInfo;
  readonly traits: DeviceTraits;
}

/**
 * Finds an adapter and opens a device with every feature that Tacho can use and with the adapter's limits. Requests
 * subgroups with the device, which saves the bare one of {@linkcode findAdapter}.
 *
 * @throws {DeviceError} if there is no adapter that fits the request, or it refuses a device
 */
export async function openDevice(request: Omit<AdapterRequest, "probe"> = {}): Promise<OpenedDevice> {
  prepareEnvironment();
  const choice = chooseAdapter(request.match);
  const adapter = await askFor(choice);
  if (adapter === null) throw noAdapter();
  const features = wantedFeatures(adapter, request);
  const wantsSubgroups = !refusedFeatures(request).includes(UNLISTED);
  let gpu = wantsSubgroups ? await requestDevice(adapter, [...features, UNLISTED]).catch(() => null) : null;
  const granted = gpu !== null;
  // A request uses up its adapter
  const other = granted || !wantsSubgroups ? adapter : await askFor(choice) ?? adapter;
  try {
    gpu ??= await requestDevice(other, features);
  } catch (error) {
    throw new DeviceError(`The adapter "${nameOf(other)}" refused a device: ${reasonOf(error)}`, { cause: error });
  }
  const size = granted ? await subgroupSize(other, gpu) : null;
  const { info, traits } = describe(other, granted ? [...features, UNLISTED] : features, choice, size, request);
  return { gpu, info, traits };
}

async function requestDevice(adapter: GPUAdapter, requiredFeatures: GPUFeatureName[]): Promise<GPUDevice> {
  const requiredLimits: Record<string, number> = {};
  for (const key of LIMITS) requiredLimits[key] = adapter.limits[key];
  return await adapter.requestDevice({ label: "tacho", requiredFeatures, requiredLimits });
}

function backendName(): string | null {
  return environment("DENO_WEBGPU_BACKEND");
}
