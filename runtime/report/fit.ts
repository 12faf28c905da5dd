import { formatMemory } from "../core/memory.ts";
import type { FitOption, FitResult, FitVariant } from "../result/fit.ts";
import { formatMiB, formatNumber } from "./format.ts";
import { createPage, droppedNote, type LookOptions, quiet, renderRows } from "./page.ts";
import { nameInProse } from "./plain_text.ts";
import { counts, figures, names, percentages, type TableSpec, words } from "./spec.ts";
import { wrap } from "./wrap.ts";

/** A row of the table: a variant with some settings changed. */
interface FitRow {
  readonly variant: FitVariant;
  readonly option: FitOption;
}

/** Renders the output of `tacho fit`. */
export function renderFit(fit: FitResult, look: LookOptions): string {
  const page = createPage(look);
  const adapter = fit.adapter === null ? "a typical GPU, as there is no adapter" : nameInProse(fit.adapter);
  const title = `${nameInProse(fit.scenario)}: largest batches in ${formatMemory(fit.budget)}, ${fit.source}, on ` +
    `${adapter}; nothing was run`;
  const table = renderRows(page, fitTable(fit));
  const notes = [
    ...fit.variants.flatMap((variant) => wrap(answer(variant), page.width)),
    ...[
      ...new Set(fit.variants.flatMap(({ options }) => options.flatMap(({ refused }) => refused ?? []))),
    ].slice(0, 3).flatMap((reason) => wrap(`limit of the adapter: ${reason}`, page.width)),
    ...[
      "batch: samples of a micro-batch (loader.batchSize); each variant has the memory for itself",
      "work: floating-point operations of a sample, compared with the settings as written",
      "bound: what the next batch exceeds; data: the training split has no more samples",
      ...droppedNote(page, table.dropped),
    ].flatMap((note) => quiet(page, note)),
  ];
  const parts = [wrap(title, page.width).map((line) => page.paint(line, "title")), table.lines, notes];
  return `${parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Returns the table of the largest batches. */
function fitTable({ variants, budget }: FitResult): TableSpec<FitRow> {
  return {
    title: "Largest batches",
    columns: [
      names("variant", ({ variant }) => variant.name),
      words("settings", ({ option }) => settingsOf(option)),
      counts("batch", ({ option }) => option.batchSize),
      counts("samples of a step", ({ option }) => option.batchSize * option.accumulate, {
        heading: ["samples", "per step"],
        dropFirst: 2,
      }),
      figures("peak memory", ({ option }) => option.memory && option.memory.peak / 2 ** 20, {
        heading: ["peak", "MiB"],
        unit: "MiB",
        format: (_, { option }) => formatMiB(option.memory!.peak),
      }),
      percentages("share of the budget", ({ option }) => option.memory && option.memory.peak / budget, {
        heading: ["budget", "%"],
        dropFirst: 1,
      }),
      figures("work of a sample", ({ option }) => option.work, {
        heading: ["work"],
        format: (work) => `x${formatNumber(work)}`,
      }),
      words("bound", ({ option }) => option.bound),
    ],
    rows: variants.flatMap((variant) => variant.options.map((option) => ({ variant, option }))),
  };
}

function settingsOf({ changes }: FitOption): string {
  if (changes.length === 0) return "as written";
  return changes.map(({ path, to }) => path === "accumulate" ? "accumulate" : `${path}=${to}`).join(" ");
}

/** Says how the samples of a step as written fit. */
function answer({ name, samples, peak, smallest, options, error }: FitVariant): string {
  const who = nameInProse(name);
  if (error !== null) return `${who} cannot be planned: ${error}`;
  const size = peak === null ? "" : `, which take ${formatMemory(peak)}`;
  const [written, ...others] = options;
  if (written!.wanted !== null) return `${who}: its ${samples} samples of a step${size}, fit as written`;
  const ways = others.filter(({ wanted }) => wanted !== null);
  if (ways.length === 0) {
    const single = smallest === null || samples === 1 ? "" : `; a single one takes ${formatMemory(smallest)}`;
    return `${who}: its ${samples} samples of a step${size}, do not fit, with recompute or accumulate either${single}; ` +
      "make the model or a sample smaller, or raise memoryBudget";
  }
  return `${who}: its ${samples} samples of a step${size}, fit with ${ways.map(wayOf).join(", or with ")}`;
}

/** Writes the settings of a way as on the command line, with its price. */
function wayOf({ changes, wanted, work }: FitOption): string {
  const { batchSize, accumulate } = wanted!;
  const again = changes.filter(({ path }) => path === "recompute").map(({ path, to }) => `${path}=${to}`);
  const parts = accumulate > 1 ? [`accumulate=${accumulate}`, `loader.batchSize=${batchSize}`] : [];
  const price = work === null || work < 1.005 ? "" : ` (${formatNumber(100 * (work - 1))} % more work)`;
  return `${[...again, ...parts].join(" ")}${price}`;
}
