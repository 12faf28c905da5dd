/**
 * Checks of plans against the adapter's limits. Without them, a plan that exceeds a limit fails at its first step.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { roundUp } from "../core/round_up.ts";
import type { KernelPlan, KernelSpec } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { formatType, type TensorType } from "../graph/types.ts";
import { bytesOf } from "./views.ts";

/**
 * Returns true if the adapter allows the candidate's scratch memory and grids. The node's tensors are the same for all.
 */
export function fitsAdapter({ workspace, kernels }: KernelPlan, traits: DeviceTraits): boolean {
  return workspace.every((bytes) => binds(bytes, traits)) && kernels.every((kernel) => dispatches(kernel, traits));
}

/**
 * Checks the size of a binding.
 *
 * @param what name of the tensor's owner in the message
 * @throws {InputError} if the adapter cannot bind this many bytes
 */
export function checkBinding(bytes: number, what: string, traits: DeviceTraits): void {
  if (binds(bytes, traits)) return;
  const [needed, most] = apart(roundUp(bytes, 16), traits.maxStorageBindingBytes);
  throw new InputError(
    `model: "${what}" needs a tensor of ${needed}, but this adapter binds at most ` +
      `${most} at once; lower loader.batchSize or the size of the layer`,
  );
}

/**
 * Checks the size of a parameter or of state, which kernels bind as a whole.
 *
 * @throws {InputError} naming it, its type, its size and the limit if the adapter cannot bind it
 */
export function checkLeafBinding(name: string, type: TensorType, traits: DeviceTraits): void {
  const bytes = bytesOf(type);
  if (binds(bytes, traits)) return;
  const half = type.dtype === "f32" && binds(bytes / 2, traits)
    ? `amp: "O3", which stores it in ${mebibytes(bytes / 2)} MiB, `
    : "";
  throw new InputError(
    `model: the parameter "${name}" ${formatType(type)} takes ${
      mebibytes(bytes)
    } MiB, but this adapter binds at most ` +
      `${mebibytes(traits.maxStorageBindingBytes)} MiB at once; use a smaller layer, such as one of fewer ` +
      `rows, ${half}or an adapter that binds more`,
  );
}

/**
 * Checks the grid of a dispatch.
 *
 * @param what name of the node in the message
 * @throws {InputError} if the adapter cannot dispatch this many workgroups
 */
export function checkGrid(kernel: KernelSpec, what: string, traits: DeviceTraits): void {
  if (dispatches(kernel, traits)) return;
  throw new InputError(
    `model: "${what}" needs ${kernel.grid.join(" x ")} workgroups, but this adapter takes at most ` +
      `${traits.maxWorkgroupsPerDimension} in each dimension; lower loader.batchSize or the size of the layer`,
  );
}

/**
 * Checks the size of a buffer.
 *
 * @param what contents of the buffer, in the message
 * @param lower setting that makes the buffer smaller, in the message
 * @throws {InputError} if the adapter cannot create such a large buffer
 */
export function checkBuffer(bytes: number, what: string, lower: string, traits: DeviceTraits): void {
  if (bytes <= traits.maxBufferBytes) return;
  const [needed, most] = apart(bytes, traits.maxBufferBytes);
  throw new InputError(`${what} take ${needed}, but a buffer of this adapter holds at most ${most}; lower ${lower}`);
}

/** Formats two sizes in MiB, or in bytes if they would look the same. */
function apart(a: number, b: number): [string, string] {
  const [first, second] = [mebibytes(a), mebibytes(b)];
  return first === second ? [`${a} bytes`, `${b} bytes`] : [`${first} MiB`, `${second} MiB`];
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
