/// <reference lib="dom" />
import { MEMORY_CLASSES, memoryPeak, usedBytes } from "../../../../analysis/memory_points.ts";
import { formatMiB, MISSING } from "../../../format.ts";
import { type MemoryRow, memoryTable } from "../../../profile/memory.ts";
import { notProfiled, type VariantContext, variantLink } from "../context.ts";
import { type Child, el, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { MEMORY_COLORS } from "../palette.ts";
import { type Content, tableContent } from "../section.ts";
import { noModelReason } from "../../../own_loop.ts";
import { seriesChart } from "../chart/series_chart.ts";

/** Returns the section of device memory over a step, by class. */
export function memorySection({ variant }: VariantContext): Content {
  const points = variant.profile?.memory ?? [];
  const peak = memoryPeak(points);
  if (variant.memory === null && peak === null) {
    return variant.parameters === null ? noModelReason(variant.config) : "no memory was planned";
  }
  const at = peak === null ? -1 : points.indexOf(peak);
  const chart = peak === null
    ? el("p", { class: "missing" }, `${MISSING} over a step: ${notProfiled(variant) ?? "not recorded"}`)
    : seriesChart({
      label: "Device memory over the ops of a step",
      x: {
        name: "op",
        values: points.map((_, i) => i),
        text: (i) => points[i] === undefined ? "" : nameText(points[i].op, 24),
      },
      unit: "MiB",
      series: MEMORY_CLASSES.map((name) => ({
        name,
        color: MEMORY_COLORS[name],
        kind: "bars",
        values: points.map((point) => point[name] / 2 ** 20),
      })),
      stacked: true,
      include: [0, usedBytes(peak) / 2 ** 20 * 1.12], // room for the label of the peak
      marks: [{ x: at, text: `peak ${formatMiB(usedBytes(peak))} MiB: ${nameText(peak.op, 40)}` }],
      height: 220,
    });
  const where = peak === null
    ? null
    : el("p", {}, "Peak while ", variantLink(variant.name, `op:${peak.op}`, nameText(peak.op, 60)), " runs.");
  return {
    about: "Device memory by class",
    content: [chart, where, ...tableContent(memoryTable(variant), { cells: { class: classCell } })],
  };
}

function classCell({ name }: MemoryRow, text: string): Child {
  const color = (MEMORY_COLORS as Readonly<Record<string, string>>)[name];
  return color === undefined ? el("strong", {}, text) : el("span", { class: "name" }, swatch(color), text);
}
