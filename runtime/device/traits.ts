/** What kernels may assume of an adapter: plain data, so that plans can be made without a device. */
export interface DeviceTraits {
  /** `cpu`: a software adapter, whose kernels want register tiles without barriers; `gpu`: everything else. */
  readonly class: "cpu" | "gpu";
  /** Whether `enable f16` is granted. */
  readonly f16: boolean;
  /** Whether passes can be timed. */
  readonly timestamps: boolean;
  /** Invocations of a subgroup, where subgroup operations are granted and every subgroup has as many; `null` elsewhere. */
  readonly subgroupSize: number | null;
  /** Largest number of workgroups in a dimension of a dispatch. */
  readonly maxWorkgroupsPerDimension: number;
  /** Largest number of bytes of one storage binding. */
  readonly maxStorageBindingBytes: number;
  /** Largest number of bytes of one buffer. */
  readonly maxBufferBytes: number;
  /** Largest number of storage buffers of one kernel. */
  readonly maxStorageBuffers: number;
  /** Largest number of invocations of a workgroup. */
  readonly maxInvocations: number;
  /** Bytes of workgroup memory. */
  readonly maxWorkgroupBytes: number;
}

/** Traits that every WebGPU adapter of a desktop grants; used where no adapter is at hand (`--dry-run`). */
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
