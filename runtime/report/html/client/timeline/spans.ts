/// <reference lib="dom" />
import { formatTime } from "../../../quantities.ts";
import { el } from "../dom.ts";
import { nameText } from "../names.ts";
import { phaseColor } from "../palette.ts";
import type { Timeline, TimelineSpan } from "./decode.ts";

/** Host work with its own colour. */
const HOST_COLORS: Readonly<Record<string, string>> = {
  wait: "--gap",
  "load dataset": "--reader",
  "let data": "--series-6",
  encode: "--series-1",
  submit: "--series-5",
  "monitor loss": "--series-3",
  yield: "--gap",
};

/** States of threads; on cores, spans have the names of threads. */
const CPU_COLORS: Readonly<Record<string, string>> = {
  running: "--series-1",
  "waiting for a core": "--gap",
  "waiting for a disk": "--series-5",
};

/** Returns the colour of a span: by phase on the device, by kind of work on the host. */
export function colorOfSpan(category: Timeline["tracks"][number]["category"], name: string): string {
  if (category === "device") return phaseColor(name);
  if (category === "worker") return "--reader";
  if (category === "copy") return name.includes("profiler") ? "--gap" : "--series-6";
  if (category === "cpu") return CPU_COLORS[name] ?? "--series-1";
  return HOST_COLORS[name] ?? (name.startsWith("step") ? "--scope" : "--series-2");
}

/** Addresses of a span's rows in the tables of ops and of events. */
export interface SpanHrefs {
  readonly op: (span: TimelineSpan) => string;
  readonly event: (span: TimelineSpan) => string;
}

/** Returns the description of a span, with links to its rows in the tables of ops and of events. */
export function describeSpan(span: TimelineSpan, { tracks }: Timeline, hrefs: SpanHrefs): (Node | string)[] {
  const { name, start, end, step, facts, track } = span;
  const trackName = tracks[track]!.name;
  const isOp = trackName.startsWith("device ops");
  const head = isOp ? el("a", { href: hrefs.op(span) }, nameText(name)) : nameText(name);
  const words = [
    formatTime((end - start) / 1000),
    `at ${formatTime(start / 1000)}`,
    nameText(trackName, 40),
    step === null ? "" : `step ${step}`,
    ...Object.entries(facts).map(([key, value]) => `${nameText(key, 40)} ${nameText(String(value), 120)}`),
  ];
  const event = el("a", { href: hrefs.event(span) }, "show in the table");
  return [el("strong", {}, head), ` ${words.filter((word) => word !== "").join(" · ")} · `, event];
}
