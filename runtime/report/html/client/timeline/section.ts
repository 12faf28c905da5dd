/// <reference lib="dom" />
import { formatCount, formatCounted } from "../../../format.ts";
import { notProfiled, untimed, type VariantContext } from "../context.ts";
import { samplingText } from "../../../trace/trace.ts";
import { readTimeline } from "../data.ts";
import { hrefOf } from "../route.ts";
import { type Content, notes } from "../section.ts";
import { decodeTimeline, type Timeline, type TimelineSpan } from "./decode.ts";
import { TimelineView } from "./timeline.ts";
import { formatTime } from "../../../quantities.ts";
import { counts, figures, type TableSpec, words } from "../../../spec.ts";
import { el } from "../dom.ts";
import { createTable, type Table } from "../table.ts";

/** Returns the section of the timeline of host, workers and device in the profiled steps, with the table of its events. */
export function timelineSection({ overview, variant, index, anchors }: VariantContext): Content {
  const columns = readTimeline(index);
  if (columns === null || columns.lanes.length === 0) {
    const reason = notProfiled(variant) ??
      (columns === null ? "its spans were not recorded" : null);
    return reason ?? untimed(overview) ?? "nothing was recorded";
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

/**
 * Returns the table of a timeline's events, whose keys are their numbers.
 *
 * @param href address of an event in the timeline
 */
function eventsTable(
  { events, tracks }: Timeline,
  numberOf: (span: TimelineSpan) => number,
  href: (span: TimelineSpan) => string,
): Table<TimelineSpan> {
  const lane = ({ track }: TimelineSpan) => tracks[track]!.name;
  const spec: TableSpec<TimelineSpan> = {
    title: "Events",
    columns: [
      counts("#", numberOf),
      words("name", ({ name }) => name),
      figures("start", ({ start }) => start / 1000, {
        format: formatTime,
        help: "Since the first event; copied in ms",
      }),
      figures("duration", lengthOf, { format: formatTime, help: "Copied in ms" }),
      words("lane", lane),
    ],
    rows: events,
  };
  return createTable(spec, {
    key: (span) => String(numberOf(span)),
    cells: { name: (span, text) => el("a", { class: "name", href: href(span), title: "Show in the timeline" }, text) },
    search: {
      label: "Search events by name or lane",
      text: (span) => `${span.name} ${lane(span)}`,
      found: (found) => {
        const sum = found.reduce((sum, span) => sum + lengthOf(span), 0);
        return `${formatCount(found.length)} of ${formatCount(events.length)} events, ${formatTime(sum)} in sum`;
      },
    },
  });
}

/** Returns the duration of a span in ms. */
function lengthOf({ start, end }: TimelineSpan): number {
  return (end - start) / 1000;
}
