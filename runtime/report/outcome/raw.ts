import type { Block, Result } from "../../result/schema.ts";
import { formatNumber, formatRatio } from "../format.ts";
import type { DataColumn, Section } from "../page.ts";

/** A block of an arm, with what it is held against. */
interface Row {
  readonly arm: string;
  readonly block: Block;
  /** ms */
  readonly perSample: number | null;
  /** Of the baseline's block of the same round / this one's. */
  readonly ratio: number | null;
}

/** Every block in the order in which they ran, the baseline's second arm included. */
export function rawSection(result: Result): Section<Row> | null {
  const arms = [
    ...result.variants.map(({ name, blocks }) => ({ name, blocks })),
    ...result.procedure?.secondArm ? [result.procedure.secondArm] : [],
  ];
  const baseline = result.variants.find(({ name }) => name === result.baseline);
  const rows = arms.flatMap(({ name, blocks }) =>
    blocks.map((block): Row => {
      const own = perSample(block);
      const other = baseline?.blocks.find(({ round }) => round === block.round);
      const reference = other === undefined ? null : perSample(other);
      return { arm: name, block, perSample: own, ratio: own === null || reference === null ? null : reference / own };
    })
  );
  if (rows.length === 0) return null;
  return {
    title: "Every block, in the order in which they ran",
    columns: COLUMNS,
    rows: rows.toSorted((a, b) => a.block.round - b.block.round || a.block.position - b.block.position),
    notes: [
      "ratio: time per sample of the baseline's block of the same round / that of this one",
      ...result.procedure?.secondArm ? [`${result.procedure.secondArm.name}: the baseline under another name`] : [],
    ],
  };
}

/** Null where there is nothing to divide. */
function perSample({ wall, samples }: Block): number | null {
  return wall > 0 && samples > 0 ? wall / samples : null;
}

const COLUMNS: readonly DataColumn<Row>[] = [
  { name: "round", heading: ["round"], align: "right", cell: ({ block }) => String(block.round + 1) },
  {
    name: "position",
    heading: ["place"],
    align: "right",
    dropFirst: 2,
    cell: ({ block }) => String(block.position + 1),
  },
  { name: "arm", heading: ["arm"], align: "left", breakAfter: ",", cut: true, cell: ({ arm }) => arm },
  { name: "steps", heading: ["steps"], align: "right", dropFirst: 1, cell: ({ block }) => stepsOf(block) },
  { name: "samples", heading: ["samples"], align: "right", dropFirst: 3, cell: ({ block }) => String(block.samples) },
  { name: "wall", heading: ["wall", "ms"], align: "right", cell: ({ block }) => block.wall.toFixed(2) },
  {
    name: "ms a sample",
    heading: ["ms a", "sample"],
    align: "right",
    cell: ({ perSample }) => perSample === null ? null : precise(perSample),
  },
  {
    name: "ratio",
    heading: ["ratio"],
    align: "right",
    cell: ({ ratio }) => ratio === null ? null : ratio < 10 ? `×${ratio.toFixed(4)}` : formatRatio(ratio),
  },
];

function stepsOf({ steps }: Block): string | null {
  return steps.length === 0 ? null : String(steps.length);
}

/** Five digits: these figures are there to be reckoned with. */
function precise(value: number): string {
  return value >= 1e5 ? formatNumber(value) : value.toPrecision(5);
}
