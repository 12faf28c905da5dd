/**
 * Data embedded in the report's page as JSON: the result, split so that a variant's details are parsed only when they
 * are shown.
 *
 * @module
 */
import type { Sampling } from "../../record/timeline.ts";
import type { Block, Profile, Result, VariantResult } from "../../result/schema.ts";
import type { PackedRows } from "./packing.ts";

/** Parts of a variant that only its own sections show. */
export interface VariantDetail extends Pick<VariantResult, "queues" | "pipeline" | "autotune"> {
  readonly blocks: readonly (Omit<Block, "steps"> & { readonly steps: PackedRows })[];
  readonly ops: PackedRows;
  readonly profile: Omit<Profile, "memory"> & { readonly memory: PackedRows } | null;
}

/** Block with the number of its steps. */
export type BlockOverview = Omit<Block, "steps"> & { readonly steps: number };

export type VariantOverview = Omit<VariantResult, keyof VariantDetail> & {
  readonly blocks: readonly BlockOverview[];
  /** Bytes in use over a step; empty without a profile. */
  readonly memoryOverStep: readonly number[];
};

export interface Overview extends Omit<Result, "variants"> {
  readonly variants: readonly VariantOverview[];
  /** Command line that repeats the run; null where it is unknown. */
  readonly command: string | null;
  /** Notes below the comparison: those that change how it is read, and the method with the legend. */
  readonly foot: { readonly open: readonly string[]; readonly folded: readonly string[] };
}

/** Spans of a lane as columns. */
export interface LaneColumns {
  readonly name: string;
  readonly category: "host" | "worker" | "device" | "copy" | "cpu";
  /** Microseconds since the start of the previous span. */
  readonly start: readonly number[];
  /** Durations in microseconds. */
  readonly length: readonly number[];
  /** Indices into labels and facts; -1 for no facts. */
  readonly label: readonly number[];
  readonly facts: readonly number[];
  /** Step indices; -1 for none. */
  readonly step: readonly number[];
}

/** Counter as columns: microseconds since the previous change, and values. */
export interface CounterColumns {
  readonly name: string;
  readonly time: readonly number[];
  readonly value: readonly number[];
}

/** Arrow between moments on two lanes: lane index, microseconds since the origin. */
export interface Arrow {
  readonly name: string;
  readonly from: readonly [lane: number, time: number];
  readonly to: readonly [lane: number, time: number];
}

export interface TimelineColumns {
  /** Steps kept, of those recorded. */
  readonly steps: number;
  readonly recorded: number;
  /** Spans lost because the recorder was full. */
  readonly leftOut: number;
  /** Cost of sampling cores and threads; null without their lanes. */
  readonly sampling: Sampling | null;
  readonly labels: readonly string[];
  readonly facts: readonly Readonly<Record<string, string | number>>[];
  readonly lanes: readonly LaneColumns[];
  readonly counters: readonly CounterColumns[];
  readonly arrows: readonly Arrow[];
}

/** IDs of the elements with the JSON. */
export const OVERVIEW_ID = "overview";

export function detailId(variant: number): string {
  return `detail-${variant}`;
}

export function timelineId(variant: number): string {
  return `timeline-${variant}`;
}
