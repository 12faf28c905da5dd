/** Figures of kernels that gates can use, as the compiler for a GPU estimates them. */
export const ISA_METRICS = ["spills", "waves", "instructions", "cost"] as const;

/** The worst figure of a variant's kernels, and where it is. */
export interface WorstKernel {
  readonly value: number;
  readonly kernel: string;
  readonly gpu: string;
}

/** The worst figure of a variant's kernels on several GPUs, by metric; null if it is unknown. */
export type IsaWorst = Readonly<Record<typeof ISA_METRICS[number], WorstKernel | null>>;
