/**
 * Report as one self-contained HTML file. Data is embedded as JSON, and a content security policy blocks all scripts but
 * the page's own, even if names of layers contain markup.
 *
 * @module
 */
import type { Timeline } from "../../record/timeline.ts";
import type { Result, VariantResult } from "../../result/schema.ts";
import { pageScript, pageStyle } from "./assets.ts";
import { dataBlock, htmlDocument, policyOf } from "./document.ts";
import {
  detailId,
  type Overview,
  OVERVIEW_ID,
  timelineId,
  type VariantDetail,
  type VariantOverview,
} from "./embedded.ts";
import { timelineColumns } from "./timeline_columns.ts";
import { memoryTotals } from "../../analysis/memory_points.ts";
import { footParts } from "../matrix/foot.ts";
import { settingsOf } from "../settings.ts";
import { packRows } from "./packing.ts";

/** Target size of the page in characters; timelines are cut to the remainder. */
const PAGE_BUDGET = 3_000_000;

/** Smallest budget of a timeline in characters. */
const MIN_TIMELINE = 100_000;

export interface HtmlOptions {
  /** Timelines of the profiled variants. */
  readonly timelines?: readonly Timeline[];
  /** Command line of the run; null where it is unknown. */
  readonly command?: string | null;
}

/** Renders a result as an HTML page. */
export function renderHtml(result: Result, { timelines = [], command = null }: HtmlOptions = {}): string {
  const { overview, details } = splitResult(result, command);
  const [script, style] = [pageScript(), pageStyle()];
  const blocks = [
    dataBlock(OVERVIEW_ID, overview),
    ...details.map((detail, i) => dataBlock(detailId(i), detail)),
  ];
  const used = [script.text, style.text, ...blocks].reduce((sum, part) => sum + part.length, 0);
  const budget = Math.max(MIN_TIMELINE, Math.floor((PAGE_BUDGET - used) / Math.max(1, timelines.length)));
  for (const [i, { name }] of result.variants.entries()) {
    const timeline = timelines.find(({ variant }) => variant === name);
    if (timeline !== undefined) blocks.push(dataBlock(timelineId(i), timelineColumns(timeline, budget)));
  }
  return htmlDocument({
    title: `${result.scenario.name} – Tacho`,
    ...{ policy: policyOf(style, script), style, script, blocks },
    noscript: "This report needs JavaScript, which is disabled. The same figures are in report.md, profile.csv and " +
      "result.json next to it.",
  });
}

/** Returns the content security policy of the page. */
export function reportPolicy(): string {
  return policyOf(pageStyle(), pageScript());
}

/** Splits a result into an overview and the details of each variant. */
export function splitResult(result: Result, command: string | null): { overview: Overview; details: VariantDetail[] } {
  const { variants, ...rest } = result;
  return {
    overview: {
      ...rest,
      variants: variants.map(overviewOf),
      command: command ?? commandOf(result),
      foot: footParts(result),
    },
    details: variants.map(detailOf),
  };
}

function overviewOf(variant: VariantResult): VariantOverview {
  const { blocks, ops: _ops, profile, queues: _queues, pipeline: _pipeline, autotune: _, ...rest } = variant;
  const memoryOverStep = memoryTotals(profile?.memory ?? []);
  return { ...rest, memoryOverStep, blocks: blocks.map((block) => ({ ...block, steps: block.steps.length })) };
}

function detailOf(variant: VariantResult): VariantDetail {
  const { blocks, ops, profile, queues, pipeline, autotune } = variant;
  return {
    blocks: blocks.map((block) => ({ ...block, steps: packRows(block.steps) })),
    ops: packRows(ops),
    profile: profile && { ...profile, memory: packRows(profile.memory) },
    queues,
    pipeline,
    autotune,
  };
}

/** Reconstructs a command line from the result, which does not record overrides on the command line. */
function commandOf({ scenario: { file, seed }, variants }: Result): string | null {
  if (file === null) return null;
  const settings = variants.map(({ config }) => settingsOf(config));
  const flag = (name: "steps" | "skip" | "rounds") => {
    const values = new Set(settings.map((one) => one[name]));
    const [value] = values;
    return values.size === 1 && value !== undefined ? ` --${name} ${value}` : "";
  };
  const script = /^[\w./-]+$/.test(file) ? file : JSON.stringify(file);
  return `deno run -A ${script} --seed ${seed}${flag("steps")}${flag("skip")}${flag("rounds")}`;
}
