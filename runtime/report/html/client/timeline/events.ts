/// <reference lib="dom" />
import { formatCount } from "../../../format.ts";
import { formatTime } from "../../../quantities.ts";
import { counts, figures, type TableSpec, words } from "../../../spec.ts";
import { el } from "../dom.ts";
import { createTable, type Table } from "../table.ts";
import type { Timeline, TimelineSpan } from "./decode.ts";

/**
 * Returns the table of a timeline's events, whose keys are their numbers.
 *
 * @param href address of an event in the timeline
 */
export function eventsTable(
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
