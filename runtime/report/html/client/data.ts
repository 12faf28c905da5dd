/// <reference lib="dom" />
import type { VariantResult } from "../../../result/schema.ts";
import {
  detailId,
  type Overview,
  OVERVIEW_ID,
  type TimelineColumns,
  timelineId,
  type VariantDetail,
} from "../embedded.ts";
import { unpackRows } from "../packing.ts";

export function readOverview(): Overview {
  return readJson<Overview>(OVERVIEW_ID)!;
}

/** Reads a variant with its details. */
export function readVariant(overview: Overview, index: number): VariantResult {
  const { blocks, ops, profile, ...detail } = readJson<VariantDetail>(detailId(index))!;
  return {
    ...overview.variants[index]!,
    ...detail,
    blocks: blocks.map((block) => ({ ...block, steps: unpackRows(block.steps) })),
    ops: unpackRows(ops),
    profile: profile && { ...profile, memory: unpackRows(profile.memory) },
  };
}

/** Reads a variant's timeline; null where it has none. */
export function readTimeline(index: number): TimelineColumns | null {
  return readJson<TimelineColumns>(timelineId(index));
}

function readJson<T>(id: string): T | null {
  const text = document.getElementById(id)?.textContent;
  return text === undefined || text === null ? null : JSON.parse(text) as T;
}
