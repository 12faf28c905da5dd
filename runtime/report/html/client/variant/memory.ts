/// <reference lib="dom" />
import { MEMORY_CLASSES, type MemoryClass, memoryPeak, usedBytes } from "../../../../analysis/memory_peak.ts";
import { formatMiB, MISSING } from "../../../format.ts";
import { notProfiled, type VariantContext, variantLink } from "../context.ts";
import { el, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { percentText } from "../numbers.ts";
import { MEMORY_COLORS } from "../palette.ts";
import { notes, type Section } from "../section.ts";
import { seriesChart } from "../chart/series_chart.ts";
import { createTable } from "../table.ts";

interface Row {
  readonly name: MemoryClass | "all";
  readonly atPeak: number | null;
  readonly planned: number | null;
}

/** Device memory over the ops of a step, by what it is taken for. */
export function memorySection({ variant }: VariantContext): Section {
  const base = { anchor: "memory", title: "Memory" };
  const points = variant.profile?.memory ?? [];
  const peak = memoryPeak(points);
  if (variant.memory === null && peak === null) {
    return {
      ...base,
      content: variant.parameters === null ? "no model, the loader alone was measured" : "no memory was planned",
    };
  }
  const at = peak === null ? -1 : points.indexOf(peak);
  const chart = peak === null
    ? el("p", { class: "missing" }, `${MISSING} over a step: ${notProfiled(variant) ?? "the ops were not followed"}`)
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
      include: [0, usedBytes(peak) / 2 ** 20 * 1.12], // room for the mark's words
      mark: { x: at, text: `peak ${formatMiB(usedBytes(peak))} MiB: ${nameText(peak.op, 40)}` },
      height: 220,
    });
  const row = (name: MemoryClass): Row => ({
    name,
    atPeak: peak && peak[name],
    planned: variant.memory?.[name] ?? null,
  });
  const rows: Row[] = [
    ...MEMORY_CLASSES.map(row),
    { name: "all", atPeak: peak && usedBytes(peak), planned: variant.memory?.peak ?? null },
  ];
  const where = peak === null
    ? null
    : el("p", {}, "Most is in use while ", variantLink(variant.name, `op:${peak.op}`, nameText(peak.op, 60)), " runs.");
  return {
    ...base,
    about: "By what it is taken for",
    content: [chart, where, classTable(rows, peak && usedBytes(peak)), notes([PLANNED])],
  };
}

const PLANNED = "planned: what is allocated; what activations and workspace share in turn counts as activations there";

function classTable(rows: readonly Row[], all: number | null): HTMLElement {
  return createTable<Row>({
    caption: "Device memory by class",
    columns: [
      {
        title: "class",
        align: "left",
        value: ({ name }) => name,
        show: ({ name }) =>
          name === "all" ? el("strong", {}, name) : el("span", { class: "name" }, swatch(MEMORY_COLORS[name]), name),
      },
      {
        title: "at the peak",
        unit: "MiB",
        value: ({ atPeak }) => atPeak && atPeak / 2 ** 20,
        show: ({ atPeak }) => atPeak === null ? null : formatMiB(atPeak),
      },
      {
        title: "share",
        value: ({ atPeak }) => atPeak === null || !all ? null : atPeak / all,
        show: ({ atPeak }) => atPeak === null || !all ? null : percentText(atPeak / all),
      },
      {
        title: "planned",
        unit: "MiB",
        value: ({ planned }) => planned && planned / 2 ** 20,
        show: ({ planned }) => planned === null ? null : formatMiB(planned),
      },
    ],
    rows,
  }).element;
}
