import { ISA_METRICS, type IsaWorst, type WorstKernel } from "../result/isa.ts";
import type { Figures } from "./figures.ts";
import { spillsOf } from "./tables.ts";
import type { KernelEstimate } from "./types.ts";

type Metric = typeof ISA_METRICS[number];

const READ: Readonly<Record<Metric, (figures: Figures) => number | null>> = {
  spills: spillsOf,
  waves: ({ waves }) => waves,
  instructions: ({ instructions }) => instructions,
  cost: ({ cost }) => cost,
};

/**
 * Returns the worst figures of kernels: most spills, instructions and cost, fewest waves. Null where a kernel did not
 * compile or has no such figure, so that no gate passes on a part of the kernels.
 */
export function worstOf(rows: readonly KernelEstimate[]): IsaWorst {
  const worst = (metric: Metric): WorstKernel | null => {
    const all = rows.map(({ kernel, gpu, figures }) => ({
      ...{ kernel, gpu, value: figures === null ? null : READ[metric](figures) },
    }));
    const known = all.filter((each): each is WorstKernel => each.value !== null);
    if (known.length === 0 || known.length < all.length) return null;
    const sign = metric === "waves" ? -1 : 1;
    return known.reduce((a, b) => sign * b.value > sign * a.value ? b : a);
  };
  return Object.fromEntries(ISA_METRICS.map((metric) => [metric, worst(metric)])) as IsaWorst;
}
