import { shownPhases } from "../record/phases.ts";
import type { DryRun, DryRunVariant } from "../result/dry_run.ts";
import type { Memory } from "../result/schema.ts";
import { createPaint, type Paint } from "./color.ts";
import { differences, formatDifferences } from "./differences.ts";
import { formatCount, formatMiB, formatNumber, MISSING } from "./format.ts";
import { nameInProse } from "./plain_text.ts";
import { type Cell, type Column, renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

const PROSE_WIDTH = 100;

/** `count` and `unit` of a step's floating-point operations. */
const SCALES = [{ unit: "TFLOP", count: 1e12 }, { unit: "GFLOP", count: 1e9 }, { unit: "MFLOP", count: 1e6 }] as const;

/** What each memory column shows; the peak is less than the sum, because parts share memory. */
const MEMORY: readonly (keyof Memory)[] = [
  "peak",
  "parameters",
  "gradients",
  "optimizer",
  "activations",
  "workspace",
  "feed",
];

export interface DryRunOptions {
  /** Columns of the terminal; null when the output is no terminal and nothing has to be left out. */
  columns: number | null;
  color: boolean;
}

/** What `--dry-run` prints: the variants' settings, size, work and memory. */
export function renderDryRun(dryRun: DryRun, { columns, color }: DryRunOptions): string {
  const paint = createPaint(color);
  const prose = Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH);
  const layout = { width: columns ?? PROSE_WIDTH, drop: columns !== null, paint };
  const title = `${nameInProse(dryRun.scenario)}: what would run on ${
    dryRun.adapter === null ? "any adapter" : nameInProse(dryRun.adapter)
  }; nothing was run`;
  const tables = [workColumns(dryRun.variants), memoryColumns()]
    .map((described) => ({ described, rows: rowsOf(described, dryRun.variants) }))
    .map(({ described, rows }) => renderTable(described, rows, layout));
  const dropped = tables.flatMap((table) => table.dropped);
  const notes = [
    ...settings(dryRun, prose, paint),
    ...dryRun.variants.filter(({ error }) => error !== null)
      .flatMap(({ name, error }) => wrap(`${nameInProse(name)} cannot run: ${error}`, prose))
      .map((line) => paint(line, "bad")),
    ...legend(dryRun, dropped, prose).map((line) => paint(line, "quiet")),
  ];
  const parts = [wrap(title, prose).map((line) => paint(line, "title")), ...tables.map((table) => table.lines), notes];
  return parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n") + "\n";
}

interface DryRunColumn extends Column {
  cell(variant: DryRunVariant): string | null;
}

function workColumns(variants: readonly DryRunVariant[]): DryRunColumn[] {
  const most = Math.max(0, ...variants.map(({ flops }) => flops === null ? 0 : Math.max(...Object.values(flops))));
  const scale = SCALES.find(({ count }) => most >= count) ?? { unit: "FLOP", count: 1 };
  const phases = shownPhases(variants.flatMap(({ flops }) => Object.keys(flops ?? {})));
  const flops = phases.map(({ name, label }, i): DryRunColumn => ({
    name: `${label} ${scale.unit}`,
    heading: [label, scale.unit],
    align: "right",
    dropFirst: 1 + phases.length - i,
    cell: ({ flops }) => flops && formatNumber((flops[name] ?? 0) / scale.count),
  }));
  return [
    { name: "variant", heading: ["variant"], align: "left", breakAfter: ",", cut: true, cell: ({ name }) => name },
    {
      name: "input shape",
      heading: ["input", "shape"],
      align: "left",
      dropFirst: 1,
      cell: ({ inputShape }) => inputShape && inputShape.join("x"),
    },
    { name: "amp", heading: ["amp"], align: "left", cell: ({ config }) => short(config["amp"], "level") },
    { name: "sink", heading: ["sink"], align: "right", cell: ({ config }) => short(config["sink"]) },
    {
      name: "workers",
      heading: ["workers"],
      align: "right",
      cell: ({ config }) => short(config["loader"], "numWorkers"),
    },
    {
      name: "parameters",
      heading: ["parameters"],
      align: "right",
      cell: ({ parameters }) => parameters === null ? null : formatCount(parameters),
    },
    ...flops,
  ];
}

function memoryColumns(): DryRunColumn[] {
  const parts = MEMORY.map((part, i): DryRunColumn => ({
    name: `memory of ${part}`,
    heading: [part, "MiB"],
    align: "right",
    ...(part === "peak" ? {} : { dropFirst: MEMORY.length - i }),
    cell: ({ memory }) => memory && formatMiB(memory[part]),
  }));
  return [
    { name: "variant", heading: ["memory"], align: "left", breakAfter: ",", cut: true, cell: ({ name }) => name },
    ...parts,
  ];
}

function rowsOf(columns: readonly DryRunColumn[], variants: readonly DryRunVariant[]): Cell[][] {
  return variants.map((variant) => columns.map((column) => ({ text: column.cell(variant) ?? MISSING })));
}

/** A setting, or the one field of a record that says most about it. */
function short(value: DryRunVariant["config"][string] | undefined, field?: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return String(value);
  const inner = field === undefined || Array.isArray(value) ? undefined : value[field];
  return inner === undefined || inner === null || typeof inner === "object" ? null : String(inner);
}

/** How each variant is set up, told as its distance from the baseline. */
function settings({ variants, baseline }: DryRun, width: number, paint: Paint): string[] {
  const reference = variants.find(({ name }) => name === baseline);
  if (reference === undefined) return [];
  return variants.filter((variant) => variant !== reference).flatMap(({ name, config }) => {
    const list = differences(config, reference.config);
    return wrap(
      `${nameInProse(name)}: ${list.length === 0 ? `the same as ${nameInProse(baseline)}` : formatDifferences(list)}`,
      width,
    );
  }).map((line) => line.replace(/^\S+:/, (name) => paint(name, "heading")));
}

function legend({ variants, resident }: DryRun, dropped: readonly string[], width: number): string[] {
  const failed = variants.some(({ error }) => error !== null);
  const modelless = variants.some(({ error, parameters }) => error === null && parameters === null);
  return [
    "FLOP are those of one step. The peak is less than the sum of its parts where they share memory.",
    resident === null
      ? null
      : `All together take ${formatMiB(resident.bytes)} MiB on the device: activations are shared${
        resident.secondArm ? ", and the baseline is there twice" : ""
      }.`,
    failed ? `${MISSING}  the variant cannot run` : null,
    modelless ? `${MISSING}  no model, only the loader would run` : null,
    dropped.length === 0 ? null : `not shown in ${width} columns: ${dropped.join(", ")}`,
  ].flatMap((line) => line === null ? [] : wrap(line, width, 3));
}
