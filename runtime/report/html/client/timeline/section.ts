/// <reference lib="dom" />
import { formatCounted } from "../../../format.ts";
import { notProfiled, untimed, type VariantContext } from "../context.ts";
import { samplingText } from "../../../trace/sampling.ts";
import { readTimeline } from "../data.ts";
import { notes, type Section } from "../section.ts";
import { decodeTimeline } from "./decode.ts";
import { TimelineView } from "./timeline.ts";

/** Returns the section of the timeline of host, workers and device in the profiled steps. */
export function timelineSection({ overview, variant, index }: VariantContext): Section {
  const base = { anchor: "timeline", title: "Timeline" };
  const columns = readTimeline(index);
  if (columns === null || columns.lanes.length === 0) {
    const reason = notProfiled(variant) ??
      (columns === null ? "its spans were not recorded" : null);
    return { ...base, content: reason ?? untimed(overview) ?? "nothing was recorded" };
  }
  const { steps, recorded, leftOut, sampling } = columns;
  const cut = steps < recorded
    ? `first ${steps} of ${recorded} profiled steps; the others are left out to limit the size of the page`
    : "";
  const timeline = new TimelineView(decodeTimeline(columns), variant.ops, variant.name);
  return {
    ...base,
    about: `${formatCounted(steps, "profiled step")}, on the host's clock`,
    content: [
      timeline.element,
      notes([
        sampling === null ? "" : samplingText(sampling),
        cut,
        leftOut === 0 ? "" : `${formatCounted(leftOut, "span")} lost because the recorder was full`,
      ]),
    ],
  };
}
