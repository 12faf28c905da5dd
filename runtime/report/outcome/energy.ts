import type { Result } from "../../result/schema.ts";
import { formatNumber } from "../format.ts";
import { figures, type TableSpec, words } from "../spec.ts";

/** Energy of a variant over the measured blocks that have it. */
interface Row {
  readonly name: string;
  readonly joules: number;
  readonly steps: number;
  readonly samples: number;
  /** Milliseconds. */
  readonly wall: number;
}

/** A variant with its blocks, whose steps may be their number. */
interface Counted {
  readonly name: string;
  readonly blocks: readonly {
    readonly samples: number;
    readonly wall: number;
    readonly energy?: number | undefined;
    readonly steps: number | readonly unknown[];
  }[];
}

/** Returns the table of the energy of steps; without rows where the system has no counters. */
export function energyTable(
  { variants, procedure }: Pick<Result, "procedure"> & { readonly variants: readonly Counted[] },
): TableSpec<Row> {
  const { sources = [], idle = null } = procedure?.energy ?? {};
  return {
    title: "Energy",
    columns: [
      words("variant", ({ name }) => name, { cut: true }),
      figures("per step", ({ joules, steps }) => joules / steps, { heading: ["J per", "step"], unit: "J" }),
      figures("per sample", ({ joules, samples }) => joules / samples, { heading: ["J per", "sample"], unit: "J" }),
      figures("power", ({ joules, wall }) => joules / wall * 1000, { heading: ["power", "W"], unit: "W" }),
    ],
    rows: variants.flatMap(rowOf),
    notes: [
      `counted by ${sources.join(", ")}: all work of the machine, not that of the variant alone` +
      (idle === null ? "" : `; ${formatNumber(idle)} W while idle, before the run`),
    ],
  };
}

/** Sums the blocks with energy; nothing without any. */
function rowOf({ name, blocks }: Counted): Row[] {
  const counted = blocks.filter(({ energy }) => energy !== undefined);
  const sum = (value: (block: typeof counted[number]) => number) => counted.reduce((all, one) => all + value(one), 0);
  if (counted.length === 0) return [];
  return [{
    name,
    joules: sum(({ energy }) => energy!),
    steps: sum(({ steps }) => typeof steps === "number" ? steps : steps.length),
    samples: sum(({ samples }) => samples),
    wall: sum(({ wall }) => wall),
  }];
}

/** Says that counters of energy are missing; null if none is, or if the run is of an earlier version. */
export function energySentence({ procedure }: Pick<Result, "procedure">): string | null {
  const { sources = [], reason = null } = procedure?.energy ?? {};
  if (reason === null) return null;
  return `energy: ${
    sources.length === 0 ? "–, no" : "not every"
  } counter can be read; procedure.energy in the result says why`;
}
