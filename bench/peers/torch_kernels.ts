/**
 * Single kernels that run in Tacho and in PyTorch.
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";

interface Matmul {
  readonly op: "matmul";
  /** [size, size] x [size, size]. */
  readonly size: number;
}

/** A convolution, or one of its two gradients, of images [batch, inputs, size, size]. */
interface Conv {
  readonly op: "forward" | "input" | "weight";
  readonly batch: number;
  readonly size: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
}

export type TorchKernel = (Matmul | Conv) & { readonly name: string; readonly dtype: FloatType };

/** Task for a process of Tacho, as JSON; PyTorch's task also has a device. */
export interface KernelsTask {
  readonly cases: readonly TorchKernel[];
  /** Minimum duration of a block of runs, in ms. */
  readonly least: number;
  /** True to time all of Tacho's candidates for a case and use the fastest. */
  readonly autotune: boolean;
}

/** JSON that a script prints on its last line. */
export interface KernelTimes {
  /** Time of one run in ms by the case's name, on the device's clock if it has one, else on the host's. */
  readonly times: Readonly<Record<string, number>>;
  /** Floating-point operations of one run by the case's name, counted by Tacho. */
  readonly flops?: Readonly<Record<string, number>>;
}

/** Returns kernels of sizes for a GPU, or small ones for a processor. */
export function torchKernels(large: boolean, dtypes: readonly FloatType[]): TorchKernel[] {
  const sizes = large ? [1024, 4096] : [512];
  const convs = large
    ? [{ batch: 64, size: 56, channels: 64 }, { batch: 64, size: 14, channels: 256 }]
    : [{ batch: 32, size: 32, channels: 16 }, { batch: 32, size: 8, channels: 64 }];
  return dtypes.flatMap((dtype): TorchKernel[] => [
    ...sizes.map((size) => ({ name: `matmul ${size} ${dtype}`, dtype, op: "matmul", size } as const)),
    ...convs.flatMap(({ batch, size, channels }) =>
      (["forward", "input", "weight"] as const).map((op) => ({
        name: `conv 3x3 ${channels}-${channels} ${size}x${size} b${batch} ${op} ${dtype}`,
        dtype,
        op,
        batch,
        size,
        inputs: channels,
        outputs: channels,
        kernel: 3,
        stride: 1,
        padding: 1,
      }))
    ),
  ]);
}
