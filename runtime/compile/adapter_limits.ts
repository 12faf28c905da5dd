/**
 * What an adapter's limits say of kernels. Left to the device, a plan beyond them fails at its first step.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { roundUp } from "../core/round_up.ts";
import type { KernelPlan, KernelSpec } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";

/** Whether the adapter takes a plan's scratch memory and dispatches; the node's own tensors are the same for all plans. */
export function fitsAdapter({ workspace, kernels }: KernelPlan, traits: DeviceTraits): boolean {
  return workspace.every((bytes) => binds(bytes, traits)) && kernels.every((kernel) => dispatches(kernel, traits));
}

/** @throws {InputError} where a binding is larger than the adapter takes; `what` is whose it is */
export function checkBinding(bytes: number, what: string, traits: DeviceTraits): void {
  if (binds(bytes, traits)) return;
  throw new InputError(
    `model: "${what}" needs a tensor of ${mebibytes(bytes)} MiB, but this adapter binds at most ` +
      `${mebibytes(traits.maxStorageBindingBytes)} MiB at once; lower loader.batchSize or the size of the layer`,
  );
}

/** @throws {InputError} where a dispatch has more workgroups than the adapter takes; `what` is whose it is */
export function checkGrid(kernel: KernelSpec, what: string, traits: DeviceTraits): void {
  if (dispatches(kernel, traits)) return;
  throw new InputError(
    `model: "${what}" needs ${kernel.grid.join(" x ")} workgroups, but this adapter takes at most ` +
      `${traits.maxWorkgroupsPerDimension} in each dimension; lower loader.batchSize or the size of the layer`,
  );
}

/** @throws {InputError} where a buffer is larger than the adapter makes; `what` it holds, and what to `lower` */
export function checkBuffer(bytes: number, what: string, lower: string, traits: DeviceTraits): void {
  if (bytes <= traits.maxBufferBytes) return;
  throw new InputError(
    `${what} take ${mebibytes(bytes)} MiB, but a buffer of this adapter holds at most ` +
      `${mebibytes(traits.maxBufferBytes)} MiB; lower ${lower}`,
  );
}

function binds(bytes: number, traits: DeviceTraits): boolean {
  return roundUp(bytes, 16) <= traits.maxStorageBindingBytes;
}

function dispatches({ grid }: KernelSpec, traits: DeviceTraits): boolean {
  return grid.every((workgroups) => workgroups <= traits.maxWorkgroupsPerDimension);
}

function mebibytes(bytes: number): string {
  return (bytes / 1048576).toFixed(1);
}
