/**
 * Report as one self-contained HTML file. Data is embedded as JSON, and a content security policy blocks all scripts but
 * the page's own, even if names of layers contain markup.
 *
 * @module
 */
import type { Timeline } from "../../record/timeline.ts";
import type { Result } from "../../result/schema.ts";
import { pageScript, pageStyle } from "./assets.ts";
import { dataBlock, htmlDocument, policyOf } from "./document.ts";
import { detailId, OVERVIEW_ID, timelineId } from "./embedded.ts";
import { splitResult } from "./split.ts";
import { timelineColumns } from "./timeline_columns.ts";

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
