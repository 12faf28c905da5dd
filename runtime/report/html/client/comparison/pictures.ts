/// <reference lib="dom" />
import { blocksPlot } from "../../../plots/blocks.ts";
import { memoryPlot } from "../../../plots/memory.ts";
import { phasesPlot } from "../../../plots/phases.ts";
import type { Plot } from "../../../plots/plot.ts";
import { isMerged } from "../../../matrix/column.ts";
import type { Overview } from "../../embedded.ts";
import { IN_SHARDS } from "../context.ts";
import { picture } from "../picture.ts";
import type { Section } from "../section.ts";

/** Returns the section of the distribution of every variant's blocks. */
export function distributionSection(overview: Overview): Section {
  return section(
    "distribution",
    "Distribution of the blocks",
    (width) => blocksPlot(overview, width),
    isMerged(overview) ? IN_SHARDS : "fewer than two blocks were measured",
  );
}

/** Returns the section of the parts of a step of all variants. */
export function partsSection(overview: Overview): Section {
  return section(
    "parts",
    "Parts of a step",
    (width) => phasesPlot(overview, width),
    isMerged(overview) ? IN_SHARDS : "no phase was timed",
  );
}

/** Returns the section of the memory over a step of all variants. */
export function memoriesSection(overview: Overview): Section {
  return section(
    "memories",
    "Memory of all variants",
    (width) => memoryPlot(overview, width),
    "no steps were profiled (--verbosity 2)",
  );
}

function section(
  anchor: string,
  title: string,
  plot: (width?: number) => Plot | null,
  missing: string,
): Section {
  const about = plot()?.about;
  return about === undefined ? { anchor, title, content: missing } : { anchor, title, about, content: [picture(plot)] };
}
