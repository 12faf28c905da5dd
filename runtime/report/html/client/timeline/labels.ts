/// <reference lib="dom" />
import { formatBytes } from "../../../quantities.ts";
import { el } from "../dom.ts";
import { nameText } from "../names.ts";
import type { Timeline } from "./decode.ts";
import type { TimelineLayout } from "./layout.ts";

/** Returns the names of tracks and counters, beside their rows. */
export function trackLabels({ tracks, counters }: Timeline, layout: TimelineLayout): HTMLElement {
  const label = (name: string, top: number, remark: string | null) => {
    const element = el("div", { title: nameText(name) }, nameText(name, 40), remark && el("small", {}, remark));
    element.style.top = `${top}px`;
    return element;
  };
  const labels = el(
    "div",
    { class: "labels" },
    ...tracks.map(({ name }, i) => label(name, layout.tracks[i]!, null)),
    ...counters.map(({ name, highest }, i) => label(name, layout.counters[i]!, `to ${counterText(name, highest)}`)),
  );
  labels.style.height = `${layout.height}px`;
  return labels;
}

function counterText(name: string, value: number): string {
  if (name.startsWith("core")) return `${value} %`;
  return name.startsWith("memory") ? formatBytes(value) : String(value);
}
