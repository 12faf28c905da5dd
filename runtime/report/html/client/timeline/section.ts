/// <reference lib="dom" />
import { formatCount } from "../../../format.ts";
import { notProfiled, untimed, type VariantContext } from "../context.ts";
import { readTimeline } from "../data.ts";
import { notes, type Section } from "../section.ts";
import { decodeTimeline } from "./decode.ts";
import { TimelineView } from "./timeline.ts";

/** What host, workers and device did in the profiled steps, one beside the other. */
export function timelineSection({ overview, variant, index }: VariantContext): Section {
  const base = { anchor: "timeline", title: "Timeline" };
  const columns = readTimeline(index);
  if (columns === null || columns.lanes.length === 0) {
    const reason = notProfiled(variant) ??
      (columns === null ? "its spans were not kept" : null);
    return { ...base, content: reason ?? untimed(overview) ?? "nothing was recorded" };
  }
  const { steps, recorded, leftOut } = columns;
  const cut = steps < recorded
    ? `the first ${steps} of ${recorded} profiled steps; the others would take too much room`
    : "";
  const timeline = new TimelineView(decodeTimeline(columns), variant.ops, variant.name);
  return {
    ...base,
    about: `${steps} profiled steps, on the host's axis`,
    content: [
      timeline.element,
      notes([cut, leftOut === 0 ? "" : `${formatCount(leftOut)} spans were left out while it was recorded`]),
    ],
  };
}
