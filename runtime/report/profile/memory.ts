import { MEMORY_CLASSES, type MemoryClass, memoryPeak, usedBytes } from "../../analysis/memory_peak.ts";
import type { MemoryPoint, VariantResult } from "../../result/schema.ts";
import { formatMiB, formatPercent } from "../format.ts";
import { type Page, renderSection } from "../page.ts";
import { nameText } from "../plain_text.ts";
import { sparkline } from "../sparkline.ts";
import { trustLines } from "./trust.ts";

interface Row {
  readonly name: string;
  readonly atPeak: number;
  readonly planned: number | null;
  readonly overStep: readonly number[];
}

/** Device memory over a step by class, and what stood when most of it was in use. */
export function renderMemory(page: Page, variant: VariantResult): string[] {
  const points = variant.profile?.memory ?? [];
  const peak = memoryPeak(points);
  if (peak === null) return [];
  const row = (name: string, value: (point: MemoryPoint) => number, planned: number | null): Row => ({
    name,
    atPeak: value(peak),
    planned,
    overStep: points.map(value),
  });
  const own = (name: MemoryClass) => row(name, (point) => point[name], variant.memory?.[name] ?? null);
  const all = usedBytes(peak);
  return renderSection(page, {
    title: `Memory over a step: most is in use while ${nameText(peak.op, 60)} runs`,
    columns: [
      { name: "class", heading: ["class"], align: "left", cell: ({ name }) => name },
      { name: "at the peak", heading: ["at peak", "MiB"], align: "right", cell: ({ atPeak }) => formatMiB(atPeak) },
      {
        name: "share",
        heading: ["share", "%"],
        align: "right",
        cell: ({ atPeak }) => all === 0 ? null : formatPercent(atPeak / all),
      },
      {
        name: "planned",
        heading: ["planned", "MiB"],
        align: "right",
        cell: ({ planned }) => planned === null ? null : formatMiB(planned),
      },
      {
        name: "over the ops",
        heading: ["over the ops of a step"],
        align: "left",
        dropFirst: 1,
        cell: ({ overStep }) => sparkline(overStep, Math.max(10, page.width - 48), 0),
      },
    ],
    rows: [...MEMORY_CLASSES.map(own), row("all", usedBytes, variant.memory?.peak ?? null)],
    notes: [
      "planned: what is allocated; what activations and workspace share in turn counts as activations there, and as " +
      "what it holds at the peak",
      ...trustLines(variant, "host"),
    ],
  });
}
