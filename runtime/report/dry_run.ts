import { shownPhases } from "../record/phases.ts";
import type { DryRun, DryRunVariant } from "../result/dry_run.ts";
import type { Memory } from "../result/schema.ts";
import { adaptedText } from "./adapted.ts";
import type { Paint } from "./color.ts";
import { differences, formatDifferences } from "./differences.ts";
import { formatCount, formatMiB, MISSING } from "./format.ts";
import { createPage, droppedNote, type LookOptions, quiet, renderRows } from "./page.ts";
import { nameInProse, namesInProse } from "./plain_text.ts";
import { figures, names, type TableSpec, words } from "./spec.ts";
import { wrap } from "./wrap.ts";

/** Units of a step's floating-point operations. */
const SCALES = [{ unit: "TFLOP", count: 1e12 }, { unit: "GFLOP", count: 1e9 }, { unit: "MFLOP", count: 1e6 }] as const;

/** Columns of the memory table; the peak is below the sum, because parts share memory. */
const MEMORY: readonly (keyof Memory)[] = [
  "peak",
  "parameters",
  "gradients",
  "optimizer",
  "activations",
  "workspace",
  "feed",
];

/** Renders the output of `--dry-run`: the variants' settings, size, work and memory. */
export function renderDryRun(dryRun: DryRun, look: LookOptions): string {
  const page = createPage(look);
  const { width: prose, paint } = page;
  const title = `${nameInProse(dryRun.scenario)}: dry run for ${
    dryRun.adapter === null ? "any adapter" : nameInProse(dryRun.adapter)
  }, nothing was run`;
  const tables = [dryRunWorkTable(dryRun), dryRunMemoryTable(dryRun)].map((table) => renderRows(page, table));
  const adapted = adaptedText(dryRun.adapted, page.flags);
  const notes = [
    ...adapted === null ? [] : wrap(adapted, prose),
    ...dryRun.ranks === null ? [] : wrap(ranksText(dryRun.ranks), prose),
    ...settings(dryRun, prose, paint),
    ...dryRun.variants.filter(({ error }) => error !== null)
      .flatMap(({ name, error }) => wrap(`${nameInProse(name)} cannot run: ${error}`, prose))
      .map((line) => paint(line, "bad")),
    ...(dryRun.error === null ? [] : wrap(`The run would be refused: ${dryRun.error}`, prose))
      .map((line) => paint(line, "bad")),
    ...[...legend(dryRun), ...droppedNote(page, tables.flatMap((table) => table.dropped))]
      .flatMap((note) => quiet(page, note)),
  ];
  const parts = [wrap(title, prose).map((line) => paint(line, "title")), ...tables.map((table) => table.lines), notes];
  return parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n") + "\n";
}

/** Returns the note on variants with `distribute`. */
function ranksText(ranks: number): string {
  return ranks === 1
    ? "distribute: planned for a single rank with the whole batch; start the dry run with mpirun to plan the part of a rank"
    : `distribute: planned for one of ${ranks} ranks, with its part of the batch`;
}

/** Returns the table of the variants' settings and work in a step. */
export function dryRunWorkTable({ variants }: DryRun): TableSpec<DryRunVariant> {
  const most = Math.max(0, ...variants.map(({ flops }) => flops === null ? 0 : Math.max(...Object.values(flops))));
  const { unit, count } = SCALES.find(({ count }) => most >= count) ?? { unit: "FLOP", count: 1 };
  const phases = shownPhases(variants.flatMap(({ flops }) => Object.keys(flops ?? {})));
  return {
    title: "Work of a step",
    columns: [
      names("variant", ({ name }) => name),
      words("input shape", ({ inputShape }) => inputShape && inputShape.join("x"), {
        heading: ["input", "shape"],
        dropFirst: 1,
      }),
      words("amp", ({ config }) => config.amp?.level ?? null),
      words("sink", ({ config }) => text(config.sink), { align: "right" }),
      words("workers", ({ config }) => text(config.loader?.numWorkers), { align: "right" }),
      figures("parameters", ({ parameters }) => parameters, { format: formatCount }),
      ...phases.map(({ name, label }, i) =>
        figures<DryRunVariant>(`${label} ${unit}`, ({ flops }) => flops && (flops[name] ?? 0) / count, {
          heading: [label, unit],
          unit,
          dropFirst: 1 + phases.length - i,
        })
      ),
    ],
    rows: variants,
  };
}

/** Returns the table of the device memory that each variant would use. */
export function dryRunMemoryTable({ variants }: DryRun): TableSpec<DryRunVariant> {
  return {
    title: "Memory",
    columns: [
      names("variant", ({ name }) => name, { heading: ["memory"] }),
      ...MEMORY.map((part, i) =>
        figures<DryRunVariant>(`memory of ${part}`, ({ memory }) => memory && memory[part] / 2 ** 20, {
          heading: [part, "MiB"],
          unit: "MiB",
          ...part === "peak" ? {} : { dropFirst: MEMORY.length - i },
          format: (_, { memory }) => formatMiB(memory![part]),
        })
      ),
    ],
    rows: variants,
  };
}

/** Returns a setting as text; null where it is missing. */
function text(value: number | string | undefined): string | null {
  return value === undefined ? null : String(value);
}

/** Returns each variant's differences from the baseline's settings. */
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

function legend({ variants, resident }: DryRun): string[] {
  const failed = variants.some(({ error }) => error !== null);
  const modelless = variants.some(({ error, parameters }) => error === null && parameters === null);
  return [
    "FLOP: per step",
    "peak: below the sum of its parts where they share memory",
    resident === null
      ? null
      : `all variants together: ${formatMiB(resident.bytes)} MiB on the device, with shared activations${
        resident.secondArm ? " and two copies of the baseline" : ""
      }`,
    failed ? `${MISSING}  the variant cannot run` : null,
    modelless ? `${MISSING}  no model, only the loader would run` : null,
  ].filter((line) => line !== null);
}

/** A shard as planned. */
interface PlannedShard {
  readonly variants: readonly string[];
  readonly cost: number;
}

/** Renders which shard runs which variants. */
export function renderShards({ shards }: { readonly shards: readonly PlannedShard[] }, look: LookOptions): string {
  const page = createPage(look);
  const lines = renderRows(page, plannedShardsTable(shards)).lines;
  return `${lines.join("\n")}\n\nEvery shard also runs the baseline. Share: of the expected time of all shards\n`;
}

/** Returns the table of planned shards. */
function plannedShardsTable(shards: readonly PlannedShard[]): TableSpec<PlannedShard> {
  const total = shards.reduce((sum, { cost }) => sum + cost, 0);
  return {
    title: "Shards",
    columns: [
      words("shard", (shard) => `${shards.indexOf(shard) + 1}/${shards.length}`, { align: "right" }),
      figures("share", ({ cost }) => total === 0 ? null : cost / total * 100, { heading: ["share", "%"], unit: "%" }),
      words("variants", ({ variants }) => namesInProse(variants)),
    ],
    rows: shards,
  };
}
