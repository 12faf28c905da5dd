/**
 * What the report's page finds in itself, as JSON: the result, cut so that a variant's bulk is parsed only when it is
 * looked at.
 *
 * @module
 */
import type { Block, Profile, Result, VariantResult } from "../../result/schema.ts";
import type { PackedRows } from "./packing.ts";

/** Parts of a variant that only its own sections show. */
export interface VariantDetail extends Pick<VariantResult, "queues" | "pipeline" | "autotune"> {
  readonly blocks: readonly (Omit<Block, "steps"> & { readonly steps: PackedRows })[];
  readonly ops: PackedRows;
  readonly profile: Omit<Profile, "memory"> & { readonly memory: PackedRows } | null;
}

/** A block without its steps. */
export type BlockOverview = Omit<Block, "steps"> & { readonly steps: number };

export type VariantOverview = Omit<VariantResult, keyof VariantDetail> & { readonly blocks: readonly BlockOverview[] };

export interface Overview extends Omit<Result, "variants"> {
  readonly variants: readonly VariantOverview[];
  /** How to run it again; null where that is not known. */
  readonly command: string | null;
  /** Sentences below the comparison: what happened, and what its signs mean. */
  readonly foot: readonly string[];
}

/** Spans of a track that nest or follow each other, as columns. */
export interface LaneColumns {
  readonly name: string;
  readonly category: "host" | "worker" | "device" | "copy";
  /** Microseconds from the begin of the span before. */
  readonly start: readonly number[];
  /** Microseconds. */
  readonly length: readonly number[];
  /** Places among the names and among the facts; -1 for no facts. */
  readonly label: readonly number[];
  readonly facts: readonly number[];
  /** Steps; -1 for none. */
  readonly step: readonly number[];
}

/** A counter's changes as columns: microseconds from the change before, and values. */
export interface CounterColumns {
  readonly name: string;
  readonly time: readonly number[];
  readonly value: readonly number[];
}

/** From a moment on one lane to one on another: places among the lanes, microseconds from the origin. */
export interface Arrow {
  readonly name: string;
  readonly from: readonly [lane: number, time: number];
  readonly to: readonly [lane: number, time: number];
}

export interface TimelineColumns {
  /** Steps that are kept, of those that were recorded. */
  readonly steps: number;
  readonly recorded: number;
  /** Spans that had no room while they were recorded. */
  readonly leftOut: number;
  readonly labels: readonly string[];
  readonly facts: readonly Readonly<Record<string, string | number>>[];
  readonly lanes: readonly LaneColumns[];
  readonly counters: readonly CounterColumns[];
  readonly arrows: readonly Arrow[];
}

/** Ids of the elements that hold the JSON. */
export const OVERVIEW_ID = "overview";

export function detailId(variant: number): string {
  return `detail-${variant}`;
}

export function timelineId(variant: number): string {
  return `timeline-${variant}`;
}
