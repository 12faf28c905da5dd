/// <reference lib="dom" />
import { blocksPlot } from "../../../plots/blocks.ts";
import { memoryPlot } from "../../../plots/memory.ts";
import { phasesPlot } from "../../../plots/phases.ts";
import type { Plot } from "../../../plots/plot.ts";
import { isMerged } from "../../../matrix/column.ts";
import type { Overview } from "../../embedded.ts";
import { IN_SHARDS } from "../context.ts";
import { picture } from "../picture.ts";
import type { Content } from "../section.ts";

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
