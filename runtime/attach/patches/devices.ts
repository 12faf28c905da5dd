import type { Patches } from "../patch.ts";
import type { Recording } from "../realm.ts";
import type { DeviceRecord } from "../records.ts";
import type { Registry } from "../registry.ts";
import { hidesTimestamps, hideTimestamps, patchFeatures } from "./features.ts";

const FEATURE = "timestamp-query";

/** Chromium's feature, which allows sets of timestamps without the other. */
const INSIDE_PASSES = "chromium-experimental-timestamp-query-inside-passes" as GPUFeatureName;

const NO_ADAPTER = "requestAdapter() returned null: the program's WebGPU found no adapter that it supports";

/** More queries than a set may have: a set of them is refused, as one without the feature is. */
const TOO_MANY = 1 << 20;

/** Records the devices that the program requests, with timestamps where the adapter has them. */
export function patchDeviceRequests(patches: Patches, registry: Registry, recording: Recording): void {
  patchFeatures(patches);
  patches.method(GPU.prototype, "requestAdapter", async (gpu, args, call) => {
    const adapter = await call(gpu, args);
    if (adapter === null) recording.realm.sink.write({ kind: "note", text: NO_ADAPTER });
    return adapter;
  });
  patches.method(GPUAdapter.prototype, "requestDevice", async (adapter, args, call) => {
    const features = (adapter as GPUAdapter).features;
    const descriptor = args[0] as GPUDeviceDescriptor | null | undefined;
    const asked = featuresOf(descriptor);
    const available = recording.settings.timing && features.has(FEATURE);
    const adds = available && asked !== null && !asked.includes(FEATURE);
    // An iterator of features has been read now
    const isRead = asked !== null && Boolean(descriptor?.requiredFeatures);
    const requiredFeatures = adds ? [...asked, FEATURE] : asked;
    const request = adds || isRead ? [{ ...descriptor, requiredFeatures }] : args;
    const gpu = await call(adapter, request) as GPUDevice;
    const hasTimestamps = gpu.features.has(FEATURE);
    if (adds && hasTimestamps) hideTimestamps(gpu);
    const { info } = adapter as GPUAdapter;
    const device = registry.add(gpu, gpu.queue, {
      label: gpu.label,
      adapter: nameOf(info),
      timestamps: !hasTimestamps ? "none" : adds ? "added" : "program",
    }, recording);
    watch(gpu, device);
    await device.prime();
    return gpu;
  });

  patches.method(GPUDevice.prototype, "createQuerySet", (gpu, args, call) => {
    const descriptor = args[0] as GPUQuerySetDescriptor | undefined;
    const refuse = descriptor?.type === "timestamp" && hidesTimestamps(gpu as GPUDevice) &&
      !(gpu as GPUDevice).features.has(INSIDE_PASSES);
    return call(gpu, refuse ? [{ ...descriptor, count: TOO_MANY }] : args);
  });
}

/** Returns the features that a program requests; null for a malformed request, which WebGPU refuses with its own error. */
function featuresOf(descriptor: unknown): readonly unknown[] | null {
  if (descriptor === undefined || descriptor === null) return [];
  if (typeof descriptor !== "object") return null;
  const { requiredFeatures = [] } = descriptor as { readonly requiredFeatures?: unknown };
  const isSequence = typeof requiredFeatures === "object" && requiredFeatures !== null &&
    Symbol.iterator in requiredFeatures;
  return isSequence ? [...requiredFeatures as Iterable<unknown>] : null;
}

/** Records what ends devices, and the errors that the program handles. */
export function patchDevices(patches: Patches, registry: Registry): void {
  patches.method(GPUDevice.prototype, "destroy", (gpu, args, call) => {
    registry.of(gpu)?.destroyed();
    return call(gpu, args);
  });

  patches.method(GPUDevice.prototype, "popErrorScope", (gpu, args, call) => {
    const device = registry.of(gpu);
    const popped = call(gpu, args) as Promise<GPUError | null>;
    if (device === undefined) return popped;
    return popped.then((error) => {
      if (error !== null) device.error(error.constructor.name, error.message, true);
      return error;
    });
  });
}

/** Records errors and the loss of a device. */
export function watch(
  gpu: GPUDevice,
  device: { error(type: string, message: string, scoped: boolean): void; lost(reason: string, message: string): void },
): void {
  gpu.addEventListener("uncapturederror", (event) => {
    const { error } = event as GPUUncapturedErrorEvent;
    device.error(error.constructor.name, error.message, false);
  });
  gpu.lost.then(({ reason, message }) => device.lost(reason, message)).catch(() => {});
}

/** Describes a device that exists already. */
export function factsOf(gpu: GPUDevice): Pick<DeviceRecord, "label" | "adapter" | "timestamps"> {
  const info = gpu.adapterInfo;
  const timestamps = gpu.features.has(FEATURE) ? "program" : "none";
  return { label: gpu.label, adapter: nameOf(info), timestamps };
}

/** Names an adapter. Browsers give no description, and often no device. */
function nameOf({ description, device, vendor, architecture }: GPUAdapterInfo): string {
  return description || device || [vendor, architecture].filter((part) => part !== "").join(" ");
}
