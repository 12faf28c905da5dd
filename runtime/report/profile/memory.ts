import { MEMORY_CLASSES, memoryPeak, usedBytes } from "../../analysis/memory_points.ts";
import type { MemoryPoint, VariantResult } from "../../result/schema.ts";
import { formatMiB } from "../format.ts";
import { nameInProse } from "../plain_text.ts";
import { sparkline } from "../sparkline.ts";
import { type Column, figures, percentages, type TableSpec, words } from "../spec.ts";
import { trustLines } from "./trust.ts";

export interface MemoryRow {
  /** A class of memory, or `all`. */
  readonly name: string;
  readonly atPeak: number | null;
  readonly planned: number | null;
  readonly overStep: readonly number[];
}

/** Returns the table of device memory by class, over a step and at its peak. */
export function memoryTable(variant: VariantResult): TableSpec<MemoryRow> {
  const points = variant.profile?.memory ?? [];
  const peak = memoryPeak(points);
  const all = peak === null ? 0 : usedBytes(peak);
  const row = (name: string, value: (point: MemoryPoint) => number, planned: number | null): MemoryRow => ({
    name,
    atPeak: peak && value(peak),
    planned,
    overStep: points.map(value),
  });
  return {
    title: peak === null ? "Planned memory" : `Memory over a step: peak while ${nameInProse(peak.op)} runs`,
    columns: [
      words("class", ({ name }) => name),
      bytes("at the peak", ["at peak", "MiB"], ({ atPeak }) => atPeak),
      percentages("share", ({ atPeak }) => atPeak === null || all === 0 ? null : atPeak / all, {
        heading: ["share", "%"],
      }),
      bytes("planned", ["planned", "MiB"], ({ planned }) => planned),
      words("over the ops", ({ overStep }) => sparkline(overStep, 40, 0), {
        heading: ["over the ops of a step"],
        dropFirst: 1,
        beside: 48,
        only: "lines",
        text: ({ overStep }, room) => sparkline(overStep, room, 0),
      }),
    ],
    rows: [
      ...MEMORY_CLASSES.map((name) => row(name, (point) => point[name], variant.memory?.[name] ?? null)),
      row("all", usedBytes, variant.memory?.peak ?? null),
    ],
    notes: [
      "planned: allocated memory; buffers that activations and workspace share count as activations",
      "at peak: shared buffers count as what they hold at that moment",
      ...trustLines(variant, "host"),
    ],
  };
}

function bytes(name: string, heading: string[], value: (row: MemoryRow) => number | null): Column<MemoryRow> {
  const mebibytes = (row: MemoryRow) => {
    const known = value(row);
    return known === null ? null : known / 2 ** 20;
  };
  return figures(name, mebibytes, { heading, unit: "MiB", format: (_, row) => formatMiB(value(row)!) });
}
