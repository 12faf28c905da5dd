/// <reference lib="dom" />
import { formatCounted } from "../../../format.ts";
import { notProfiled, untimed, type VariantContext } from "../context.ts";
import { samplingText } from "../../../trace/sampling.ts";
import { readTimeline } from "../data.ts";
import { hrefOf } from "../route.ts";
import { notes, type Section } from "../section.ts";
import { decodeTimeline } from "./decode.ts";
import { eventsTable } from "./events.ts";
import { TimelineView } from "./timeline.ts";

/** Returns the section of the timeline of host, workers and device in the profiled steps, with the table of its events. */
export function timelineSection({ overview, variant, index, anchors }: VariantContext): Section {
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
  const timeline = decodeTimeline(columns);
  const { events } = timeline;
  const numbers = new Map(events.map((span, i) => [span, i + 1]));
  const href = (anchor: string) => hrefOf({ variant: variant.name, anchor });
  const view = new TimelineView(timeline, variant.ops, {
    op: ({ name }) => href(`op:${name}`),
    event: (span) => href(`event:${numbers.get(span)}`),
  });
  const table = eventsTable(timeline, (span) => numbers.get(span)!, (span) => href(`span:${numbers.get(span)}`));
  anchors.setFamily("event", table.rows);
  anchors.setFamily("span", {
    has: (number) => events[Number(number) - 1] !== undefined,
    find: (number) => {
      const span = events[Number(number) - 1];
      if (span === undefined) return null;
      view.show(span);
      return view.stage;
    },
  });
  return {
    ...base,
    about: `${formatCounted(steps, "profiled step")}, on the host's clock`,
    content: [
      view.element,
      notes([
        sampling === null ? "" : samplingText(sampling),
        cut,
        leftOut === 0 ? "" : `${formatCounted(leftOut, "span")} lost because the recorder was full`,
      ]),
      table.element,
    ],
  };
}
