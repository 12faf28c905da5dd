import type { TunedOpResult, VariantResult } from "../result/schema.ts";
import { formatNumber, MISSING } from "./format.ts";
import { nameInProse } from "./plain_text.ts";
import { type Column, counts, figures, type TableSpec, words } from "./spec.ts";

const COLUMNS: readonly Column<TunedOpResult>[] = [
  words("op", ({ op }) => op, { cut: true }),
  counts("times in a step", ({ nodes }) => nodes.length, { heading: ["calls"], dropFirst: 2 }),
  words("shapes", ({ inputs, outputs }) => `${inputs.slice(0, 2).join(" ")} > ${outputs[0] ?? MISSING}`, {
    cut: true,
    dropFirst: 1,
  }),
  figures("default", defaultOf, { heading: ["default", "ms"], unit: "ms" }),
  figures("chosen", chosenOf, { heading: ["chosen", "ms"], unit: "ms" }),
  figures("gain", gainOf, { format: (gain) => `×${formatNumber(gain)}`, help: "default / chosen" }),
  words("kernel", ({ chosen }) => chosen, { dropFirst: 3 }),
  counts("candidates", ({ candidates }) => candidates.length, { only: "data" }),
  words("source", ({ source }) => source, { heading: ["from"], dropFirst: 0 }),
];

/** Returns the table of tuned ops, those that gain most first. */
export function tuningTable({ name, autotune }: Pick<VariantResult, "name" | "autotune">): TableSpec<TunedOpResult> {
  return {
    title: `${nameInProse(name)}: kernels timed on the ${autotune?.clock}'s clock, by gain`,
    columns: COLUMNS,
    rows: autotune?.ops.toSorted((a, b) => saved(b) - saved(a)) ?? [],
    notes: autotune === null ? [] : ["gain: default / chosen", `times are cached in ${autotune.cache}`],
  };
}

/** Returns the time of the default kernel, which is the first candidate. */
function defaultOf({ candidates }: TunedOpResult): number | null {
  return candidates[0]?.time ?? null;
}

function chosenOf({ candidates }: TunedOpResult): number | null {
  return candidates.find(({ chosen }) => chosen)?.time ?? null;
}

function gainOf(op: TunedOpResult): number | null {
  const [first, used] = [defaultOf(op), chosenOf(op)];
  return first === null || used === null || used === 0 ? null : first / used;
}

/** Returns the time saved, in ms per step. */
function saved(op: TunedOpResult): number {
  const used = chosenOf(op);
  return used === null ? 0 : (defaultOf(op) ?? used) * op.nodes.length - used * op.nodes.length;
}
