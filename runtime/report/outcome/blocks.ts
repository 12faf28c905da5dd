import type { Block, Procedure, Result } from "../../result/schema.ts";
import { countedNoun } from "../quantities.ts";
import { formatNumber, formatRatio } from "../format.ts";
import { type Column, counts, figures, names, type TableSpec } from "../spec.ts";

/** Block of an arm with its ratio to the baseline. */
interface BlockRow {
  readonly arm: string;
  readonly block: Block;
  /** ms */
  readonly perSample: number | null;
  /** Time per sample of the baseline's block of the same round / this one's. */
  readonly ratio: number | null;
}

/** Returns the table of all blocks in the order in which they ran, including the control arm's. */
export function blocksTable({ variants, baseline: name, procedure }: Result): TableSpec<BlockRow> {
  const arms: readonly Pick<NonNullable<Procedure["secondArm"]>, "name" | "blocks">[] = [
    ...variants,
    ...procedure?.secondArm ? [procedure.secondArm] : [],
  ];
  const baseline = variants.find((variant) => variant.name === name);
  const rows = arms.flatMap(({ name, blocks }) =>
    blocks.map((block): BlockRow => {
      const own = perSample(block);
      const other = baseline?.blocks.find(({ round }) => round === block.round);
      const reference = other === undefined ? null : perSample(other);
      return { arm: name, block, perSample: own, ratio: own === null || reference === null ? null : reference / own };
    })
  );
  const noun = countedNoun(variants);
  return {
    title: "All blocks, in the order they ran",
    columns: columns(noun),
    rows: rows.toSorted((a, b) => a.block.round - b.block.round || a.block.position - b.block.position),
    notes: [
      `ratio: time per ${noun} of the baseline's block of the same round / this block's`,
      ...procedure?.secondArm ? [`${procedure.secondArm.name}: control arm, the baseline run a second time`] : [],
    ],
  };
}

/** Returns ms per sample, or null for an empty block. */
function perSample({ wall, samples }: Block): number | null {
  return wall > 0 && samples > 0 ? wall / samples : null;
}

const columns = (noun: ReturnType<typeof countedNoun>): readonly Column<BlockRow>[] => [
  counts("round", ({ block }) => block.round + 1),
  counts("position", ({ block }) => block.position + 1, { heading: ["place"], dropFirst: 2 }),
  names("arm", ({ arm }) => arm),
  counts("steps", ({ block }) => block.steps.length || null, { dropFirst: 1 }),
  counts(`${noun}s`, ({ block }) => block.samples, { dropFirst: 3 }),
  figures("wall", ({ block }) => block.wall, {
    heading: ["wall", "ms"],
    unit: "ms",
    format: (value) => value.toFixed(2),
  }),
  // Five digits, since readers compute with these figures
  figures(`ms per ${noun}`, ({ perSample }) => perSample, {
    heading: ["ms per", noun],
    format: (value) => value >= 1e5 ? formatNumber(value) : value.toPrecision(5),
  }),
  figures("ratio", ({ ratio }) => ratio, {
    format: (value) => value < 10 ? `×${value.toFixed(4)}` : formatRatio(value),
  }),
];
