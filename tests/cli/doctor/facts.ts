import type { Facts, Found, RouteResult } from "../../../runtime/cli/doctor/facts.ts";
import type { AdapterInfo } from "../../../runtime/device/adapter.ts";

export const gpu: AdapterInfo = {
  name: "AMD Radeon RX 7900",
  vendor: "4098",
  backend: "vulkan",
  driver: "radv Mesa 25.0",
  uuid: "0".repeat(31) + "1",
  pci: "0000:03:00.0",
  fallback: false,
  features: ["shader-f16", "subgroups", "timestamp-query"],
  limits: { maxBufferSize: 1 },
};

export const software: AdapterInfo = { ...gpu, name: "llvmpipe", driver: "llvmpipe", pci: null, fallback: true };

export function found(overrides: Partial<Found> = {}): Found {
  return {
    adapter: gpu,
    devices: [],
    clockStepNs: 10,
    lowPower: gpu.name,
    highPerformance: gpu.name,
    libraryError: null,
    error: null,
    ...overrides,
  };
}

export function route(overrides: Partial<RouteResult> = {}): RouteResult {
  return {
    name: "default",
    variables: {},
    manifest: null,
    library: null,
    usual: true,
    found: found(),
    failure: null,
    ...overrides,
  };
}

/** A machine without problems, with changes. */
export function facts(overrides: Partial<Facts> = {}): Facts {
  return {
    versions: { tacho: "0.1.0", deno: "2.9.6", v8: "15" },
    os: "Linux 6.18 x86_64",
    cpu: "EPYC",
    cores: 8,
    memory: 64e9,
    freeMemory: 60e9,
    load: 0.1,
    governors: ["performance"],
    onBattery: false,
    routes: [route()],
    gpus: [{ pci: "0000:03:00.0", vendor: "AMD", id: "1002:744c", module: "amdgpu" }],
    nodes: [{ path: "/dev/dri/renderD128", access: "granted", group: 105 }],
    folders: [{ purpose: "store", path: "/home/a/store", variable: "TACHO_STORE", error: null }],
    permissions: { read: "granted", ffi: "granted" },
    variables: {},
    packages: "apt-get",
    ...overrides,
  };
}
