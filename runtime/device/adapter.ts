/**
 * Opening a device: the only place that talks to `navigator.gpu`.
 *
 * @module
 */
import { DeviceError } from "../core/errors.ts";
import { environment, prepareEnvironment, unwantedFeatures, wantedKernels } from "./environment.ts";
import { hidesSubgroupSize, measureSubgroupSize, toldSubgroupSize } from "./subgroup_size.ts";
import type { DeviceTraits } from "./traits.ts";

/** What is known of an adapter; `null` where the runtime does not tell. */
export interface AdapterInfo {
  readonly name: string;
  readonly vendor: string | null;
  readonly backend: string | null;
  readonly driver: string | null;
  /** A software adapter: kernels run on the CPU's cores. */
  readonly fallback: boolean;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

export interface OpenedAdapter {
  readonly adapter: GPUAdapter;
  readonly info: AdapterInfo;
  readonly traits: DeviceTraits;
  /** The features that a device of this adapter is opened with. */
  readonly features: readonly GPUFeatureName[];
}

export interface AdapterRequest {
  /** Part of the adapter's name that must be there (case-insensitive), or `low-power`, `high-performance`. */
  readonly match?: string;
  /** Features that are left unused though the adapter may have them: to see what a run is like without. */
  readonly without?: readonly GPUFeatureName[];
  /**
   * False: no device is opened, and an adapter that tells one size of subgroups is taken to grant them, which otherwise is
   * tried.
   */
  readonly probe?: boolean;
}

/** Limits that are asked for at the adapter's own value; WebGPU's defaults are low. */
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

/** A feature that Deno grants where the adapter has it but lists nowhere. */
const UNLISTED = "subgroups" as GPUFeatureName;

/**
 * Finds an adapter; `null` where there is none. Unless `probe` is false a bare device is opened and closed, since what Deno
 * grants without listing it can only be tried (some 5 ms).
 */
export async function findAdapter(request: AdapterRequest = {}): Promise<OpenedAdapter | null> {
  prepareEnvironment();
  const powerPreference = request.match === "low-power" || request.match === "high-performance"
    ? request.match
    : undefined;
  const adapter = await navigator.gpu?.requestAdapter(powerPreference === undefined ? {} : { powerPreference }) ?? null;
  if (adapter === null) return null;
  const refused = [...request.without ?? [], ...unwantedFeatures([...FEATURES, UNLISTED])];
  const features: GPUFeatureName[] = FEATURES.filter((feature) => adapter.features.has(feature));
  const subgroups = request.probe === false ? toldSubgroups(adapter) : await probeSubgroups(adapter);
  if (subgroups.granted && !refused.includes(UNLISTED)) features.push(UNLISTED);
  for (const feature of refused) if (features.includes(feature)) features.splice(features.indexOf(feature), 1);
  const info = describeAdapter(adapter, features);
  if (request.match !== undefined && powerPreference === undefined) {
    if (!info.name.toLowerCase().includes(request.match.toLowerCase())) {
      throw new DeviceError(
        `--adapter: no adapter matches "${request.match}"; the one at hand is "${info.name}". Leave the flag out to use it`,
      );
    }
  }
  return { adapter, info, traits: traitsOf(adapter, info, subgroups.size), features };
}

/** As {@linkcode findAdapter}, but throws where there is none. */
export async function requireAdapter(request: AdapterRequest = {}): Promise<OpenedAdapter> {
  const found = await findAdapter(request);
  if (found === null) {
    throw new DeviceError(
      "No WebGPU adapter found. Install a Vulkan driver for the GPU, or the software one " +
        "(Debian: apt-get install mesa-vulkan-drivers; scripts/setup.sh does it)",
    );
  }
  return found;
}

interface Subgroups {
  readonly granted: boolean;
  /** Lanes of every subgroup; null where they differ. */
  readonly size: number | null;
}

function toldSubgroups({ info }: GPUAdapter): Subgroups {
  const size = toldSubgroupSize(info);
  return { granted: size !== null, size };
}

/** Whether a device can be had with subgroup operations: what the adapter does not list can only be tried. */
async function probeSubgroups(adapter: GPUAdapter): Promise<Subgroups> {
  let device: GPUDevice;
  try {
    device = await adapter.requestDevice({ label: "probe", requiredFeatures: [UNLISTED] });
  } catch {
    return { granted: false, size: null };
  }
  const told = toldSubgroupSize(adapter.info);
  const size = told === null && hidesSubgroupSize(nameOf(adapter))
    ? await measureSubgroupSize(device).catch(() => null) // unknown: the kernels do without
    : told;
  device.destroy();
  return { granted: true, size };
}

function nameOf({ info }: GPUAdapter): string {
  return info.description || info.device || "unnamed adapter";
}

function describeAdapter(adapter: GPUAdapter, granted: readonly GPUFeatureName[]): AdapterInfo {
  const { vendor, isFallbackAdapter } = adapter.info;
  const name = nameOf(adapter);
  const limits: Record<string, number> = {};
  for (const key of LIMITS) limits[key] = adapter.limits[key];
  return {
    name,
    vendor: vendor === "" ? null : vendor,
    backend: backendName(),
    driver: null,
    fallback: isFallbackAdapter || /llvmpipe|lavapipe|swiftshader|softpipe|basic render|\bwarp\b/i.test(name),
    features: [...granted].sort(),
    limits,
  };
}

function traitsOf(adapter: GPUAdapter, info: AdapterInfo, subgroupSize: number | null): DeviceTraits {
  const limits = adapter.limits;
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

/** Opens the device with every feature that Tacho can use and the adapter's own limits. */
export async function openDevice(opened: OpenedAdapter): Promise<GPUDevice> {
  const requiredLimits: Record<string, number> = {};
  for (const key of LIMITS) requiredLimits[key] = opened.adapter.limits[key];
  const requiredFeatures = [...opened.features];
  try {
    return await opened.adapter.requestDevice({ label: "tacho", requiredFeatures, requiredLimits });
  } catch (error) {
    throw new DeviceError(`The adapter "${opened.info.name}" refused a device: ${messageOf(error)}`, { cause: error });
  }
}

function backendName(): string | null {
  return environment("DENO_WEBGPU_BACKEND");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
