import { count, ms } from "./evidence.ts";
import { programRule } from "./rule.ts";

/** Fraction of the dispatches that must be short. */
const MIN_SHARE = 0.5;

/** Kernels that the evidence names. */
const MAX_NAMES = 3;

/** Proposes fewer, larger kernels if most are shorter than the gap before the next one. */
export const shortKernels = programRule("short-kernels", ({ device, account }) => {
  if (account === null) return null;
  const calls = (of: AnyKernels) => of.reduce((sum, { perStep }) => sum + (perStep ?? 0), 0);
  const kernels = device.kernels.filter(({ grids }) => grids.length > 0); // render passes have none
  const all = calls(kernels);
  const gap = account.idle.gaps / all;
  // A clock that ticks more slowly knows neither the gaps nor the kernels
  if (all === 0 || (device.clock.resolution ?? 0) / 1e6 > gap) return null;
  const short = kernels.flatMap((kernel) => {
    const { name, perStep, median } = kernel;
    return median !== null && median < gap ? [{ name, perStep, median }] : [];
  });
  if (calls(short) < MIN_SHARE * all) return null;
  const named = short.toSorted((a, b) => (b.perStep ?? 0) - (a.perStep ?? 0)).slice(0, MAX_NAMES);
  return {
    message: all === 1
      ? "the dispatch of a step is shorter than a launch"
      : `${count(calls(short))} of ${count(all)} dispatches per step ${
        calls(short) === 1 ? "is" : "are"
      } shorter than a launch`,
    fix: "fuse small kernels with their neighbours, or use larger batches",
    evidence: [
      { label: "mean gap before a kernel", value: `${count(gap * 1000)} us` },
      {
        label: "most frequent short kernels",
        value: named.map(({ name, perStep, median }) =>
          `${name} (${count(perStep ?? 0)} of ${count(median * 1000)} us)`
        )
          .join(", "),
      },
      { label: "device busy", value: `${ms(account.kernels)} of ${ms(account.wall)}` },
    ],
    mostMs: account.idle.gaps,
    reasoning:
      "gaps between kernels of submitted work, which include the cost of timing each dispatch in a separate pass",
  };
});

type AnyKernels = readonly { readonly perStep: number | null }[];
