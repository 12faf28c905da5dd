/** Properties of an adapter that kernels may assume. Plain data, so that plans can be compiled without a device. */
export interface DeviceTraits {
  /** `cpu` for a software adapter, where kernels use register tiles without barriers; `gpu` for all others. */
  readonly class: "cpu" | "gpu";
  /** True if WGSL may `enable f16`. */
  readonly f16: boolean;
  /** True if passes can be timed. */
  readonly timestamps: boolean;
  /** Invocations in every subgroup; `null` without subgroup operations, or if subgroups differ in size. */
  readonly subgroupSize: number | null;
  /** Maximum number of workgroups in one dimension of a dispatch. */
  readonly maxWorkgroupsPerDimension: number;
  /** Maximum size of one storage binding, in bytes. */
  readonly maxStorageBindingBytes: number;
  /** Maximum size of one buffer, in bytes. */
  readonly maxBufferBytes: number;
  /** Maximum number of storage buffers of one kernel. */
  readonly maxStorageBuffers: number;
  /** Maximum number of invocations in a workgroup. */
  readonly maxInvocations: number;
  /** Maximum size of workgroup memory, in bytes. */
  readonly maxWorkgroupBytes: number;
}

/** Traits of AMD's GPUs with Mesa's driver, for which `tacho isa` plans. Subgroups have 32 or 64 lanes. */
export const AMD_TRAITS: DeviceTraits = {
  class: "gpu",
  f16: true,
  timestamps: true,
  subgroupSize: null,
  maxWorkgroupsPerDimension: 65535,
  maxStorageBindingBytes: 2147483644,
  maxBufferBytes: 4294967296,
  maxStorageBuffers: 64,
  maxInvocations: 1024,
  maxWorkgroupBytes: 65536,
};

/** Traits that every desktop WebGPU adapter has; used without an adapter (`--dry-run`). */
export const DEFAULT_TRAITS: DeviceTraits = {
  class: "gpu",
  f16: true,
  timestamps: true,
  subgroupSize: null,
  maxWorkgroupsPerDimension: 65535,
  maxStorageBindingBytes: 134217728,
  maxBufferBytes: 2147483647,
  maxStorageBuffers: 8,
  maxInvocations: 256,
  maxWorkgroupBytes: 16384,
};
