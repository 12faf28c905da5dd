/** Runs `work` with `TACHO_KERNELS` set, and restores the variable. */
export async function withKernels<T>(kernels: string, work: () => Promise<T>): Promise<T> {
  const before = Deno.env.get("TACHO_KERNELS");
  Deno.env.set("TACHO_KERNELS", kernels);
  try {
    return await work();
  } finally {
    if (before === undefined) Deno.env.delete("TACHO_KERNELS");
    else Deno.env.set("TACHO_KERNELS", before);
  }
}
