/// <reference lib="dom" />
import { countedNoun } from "../../../quantities.ts";
import { isMerged } from "../../../matrix/column.ts";
import { IN_SHARDS } from "../context.ts";
import type { BlockOverview, Overview } from "../../embedded.ts";
import { nameText } from "../names.ts";
import { variantColor } from "../palette.ts";
import { type Content, notes } from "../section.ts";
import type { Series } from "../chart/series.ts";
import { seriesChart } from "../chart/series_chart.ts";
import { blocksPlot } from "../../../plots/blocks.ts";
import { memoryPlot } from "../../../plots/memory.ts";
import { phasesPlot } from "../../../plots/phases.ts";
import type { Plot } from "../../../plots/plot.ts";
import { picture } from "../picture.ts";

interface Arm {
  readonly name: string;
  readonly color: string;
  readonly blocks: readonly Pick<BlockOverview, "round" | "position" | "samples" | "wall">[];
}

/** Returns the section of blocks by round, which shows drift. */
export function blocksSection(overview: Overview): Content {
  const noun = countedNoun(overview.variants);
  const about = `Time per ${noun} of each block, in the order they ran`;
  const arms = armsOf(overview).filter(({ blocks }) => blocks.some(({ samples }) => samples > 0));
  if (arms.length === 0) {
    return isMerged(overview) ? IN_SHARDS : "no block was measured";
  }
  const positions = 1 +
    arms.flatMap(({ blocks }) => blocks).reduce((most, { position }) => Math.max(most, position), 0);
  const at = ({ round, position }: Arm["blocks"][number]) => round + position / positions * 0.8;
  const places = [...new Set(arms.flatMap(({ blocks }) => blocks.map(at)))].sort((a, b) => a - b);
  const index = new Map(places.map((place, i) => [place, i]));
  const series = arms.map(({ name, color, blocks }): Series => {
    const values: (number | null)[] = places.map(() => null);
    for (const block of blocks) if (block.samples > 0) values[index.get(at(block))!] = block.wall / block.samples;
    return { name: nameText(name, 40), values, color, kind: "points" };
  });
  const chart = seriesChart({
    label: `Time per ${noun} of each block by round`,
    x: { name: "round", values: places, text: (x) => String(Math.floor(x)) },
    unit: `ms per ${noun}`,
    series,
    include: [],
    height: 240,
  });
  return { about, content: [chart, notes(remarks(overview))] };
}

function armsOf({ variants, procedure }: Overview): Arm[] {
  const arms = variants.map(({ name, blocks }, i): Arm => ({ name, blocks, color: variantColor(i) }));
  const second = procedure?.secondArm ?? null;
  return second === null
    ? arms
    : [...arms, { name: `${second.name} (control arm)`, blocks: second.blocks, color: "--quiet" }];
}

function remarks({ variants }: Overview): string[] {
  const some = variants.filter(({ outliers }) => outliers !== null && outliers.mild + outliers.severe > 0);
  return some.map(({ name, outliers }) =>
    `${nameText(name)}: ${outliers!.mild} mild and ${outliers!.severe} severe outliers in ${
      outliers!.blocks
    } blocks, ` +
    "none removed"
  );
}

/** Returns the section of the distribution of every variant's blocks. */
export function distributionSection(overview: Overview): Content {
  const missing = isMerged(overview) ? IN_SHARDS : "fewer than two blocks were measured";
  return pictureOf((width) => blocksPlot(overview, width), missing);
}

/** Returns the section of the parts of a step of all variants. */
export function partsSection(overview: Overview): Content {
  return pictureOf((width) => phasesPlot(overview, width), isMerged(overview) ? IN_SHARDS : "no phase was timed");
}

/** Returns the section of the memory over a step of all variants. */
export function memoriesSection(overview: Overview): Content {
  return pictureOf((width) => memoryPlot(overview, width), "no steps were profiled (--verbosity 2)");
}

function pictureOf(plot: (width?: number) => Plot | null, missing: string): Content {
  const about = plot()?.about;
  return about === undefined ? missing : { about, content: [picture(plot)] };
}
