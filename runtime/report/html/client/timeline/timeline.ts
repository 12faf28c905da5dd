/// <reference lib="dom" />
import type { OpRecord } from "../../../../result/schema.ts";
import { button, el } from "../dom.ts";
import { onColorsChange } from "../theme.ts";
import type { Timeline, TimelineSpan } from "./decode.ts";
import { layOutTimeline, ROW_HEIGHT, spanAt, type TimelineLayout } from "./layout.ts";
import { paintTimeline } from "./paint.ts";
import { listenToPointer } from "./pointer.ts";
import { colorOfSpan, describeSpan, type SpanHrefs } from "./spans.ts";
import { View } from "./view.ts";
import { formatBytes } from "../../../quantities.ts";
import { nameText } from "../names.ts";

/** Number of steps in view initially. */
const FIRST_STEPS = 2;

const HELP =
  "Drag to pan, Ctrl and wheel to zoom, double-click to zoom to a span. Arrow keys move between spans and tracks, " +
  "with Shift they pan; plus and minus zoom, 0 shows all, Enter goes to the event in the table.";

/**
 * Timeline of host, workers and device on one axis. Drag to pan, Ctrl and wheel to zoom, click to select; the keyboard
 * does the same.
 */
export class TimelineView {
  readonly element: HTMLElement;
  readonly stage: HTMLElement;
  readonly #timeline: Timeline;
  readonly #view: View;
  readonly #layout;
  readonly #canvas = el("canvas", { "aria-hidden": "true" });
  readonly #readout = el("div", { class: "readout", "aria-live": "polite" });
  readonly #colorOfSpan: (span: TimelineSpan) => string;
  readonly #hrefs: SpanHrefs;
  readonly #tracks: HTMLElement;
  #selected: TimelineSpan | null = null;
  #width = 0;
  #pending = false;

  constructor(timeline: Timeline, ops: readonly OpRecord[], hrefs: SpanHrefs) {
    this.#timeline = timeline;
    this.#hrefs = hrefs;
    this.#layout = layOutTimeline(timeline);
    const phases = new Map(ops.map(({ id, phase }) => [id, phase]));
    this.#colorOfSpan = ({ track, name }) => colorOfSpan(timeline.tracks[track]!.category, phases.get(name) ?? name);
    const last = timeline.steps[Math.min(FIRST_STEPS, timeline.steps.length) - 1];
    this.#view = new View(timeline.steps[0]?.start ?? 0, last?.end ?? timeline.end, timeline.end);
    this.stage = el("div", {
      class: "stage",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "timeline",
      "aria-label": `Timeline. ${HELP}`,
    }, this.#canvas);
    this.#tracks = el("div", { class: "tracks" }, trackLabels(timeline, this.#layout), this.stage);
    this.element = el(
      "figure",
      { class: "chart timeline" },
      this.#toolbar(),
      this.#tracks,
      this.#readout,
    );
    this.#readout.textContent = HELP;
    this.#listen();
    const observer = new ResizeObserver(() => {
      if (!this.stage.isConnected) return observer.disconnect();
      this.#width = Math.floor(this.stage.clientWidth);
      this.#repaint();
    });
    observer.observe(this.stage);
    onColorsChange(this.stage, () => this.#repaint());
  }

  #toolbar(): HTMLElement {
    const act = (label: string, name: string, action: () => void) =>
      button(label, { class: "tool", "aria-label": name, title: name }, () => {
        action();
        this.#repaint();
      });
    const toStep = (by: number) => {
      const { steps } = this.#timeline;
      const middle = (this.#view.from + this.#view.to) / 2;
      const now = Math.max(0, steps.findLastIndex(({ start }) => start <= middle));
      const next = steps[Math.max(0, Math.min(steps.length - 1, now + by))];
      if (next !== undefined) this.#view.show(next.start, next.end);
    };
    return el(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Timeline" },
      act("+", "Zoom in", () => this.#view.zoom(0.6)),
      act("−", "Zoom out", () => this.#view.zoom(1 / 0.6)),
      act("All", "Show all", () => this.#view.all()),
      act("‹ Step", "Previous step", () => toStep(-1)),
      act("Step ›", "Next step", () => toStep(1)),
    );
  }

  #repaint(): void {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      if (this.#width <= 0) return;
      this.stage.style.height = `${this.#layout.height}px`;
      this.stage.dataset["from"] = String(this.#view.from);
      this.stage.dataset["to"] = String(this.#view.to);
      paintTimeline(this.#canvas, this.#width, {
        timeline: this.#timeline,
        layout: this.#layout,
        view: this.#view,
        selected: this.#selected,
        colorOfSpan: this.#colorOfSpan,
      });
    });
  }

  /** Selects a span and scrolls it into view. */
  show(span: TimelineSpan): void {
    this.#select(span, true);
  }

  #select(span: TimelineSpan | null, reveal: boolean): void {
    this.#selected = span;
    if (span !== null) {
      if (reveal) this.#reveal(span);
      this.#readout.replaceChildren(...describeSpan(span, this.#timeline, this.#hrefs));
    }
    this.#repaint();
  }

  #reveal({ start, end, track, row }: TimelineSpan): void {
    this.#view.reveal(start, end);
    const top = this.#layout.tracks[track]! + row * ROW_HEIGHT;
    // After the page has scrolled to the timeline
    requestAnimationFrame(() => {
      const { scrollTop, clientHeight } = this.#tracks;
      if (top < scrollTop || top + ROW_HEIGHT > scrollTop + clientHeight) {
        this.#tracks.scrollTop = top - clientHeight / 2;
      }
    });
  }

  #timeAt(clientX: number): number {
    const { left } = this.stage.getBoundingClientRect();
    return this.#view.from + (clientX - left) / this.#width * (this.#view.to - this.#view.from);
  }

  #listen(): void {
    listenToPointer(this.stage, {
      pan: (pixels) => this.#view.pan(pixels / this.#width),
      zoom: (factor, clientX) => this.#view.zoom(factor, this.#timeAt(clientX)),
      select: (event) => this.#select(this.#under(event), false),
      zoomTo: (event) => {
        const span = this.#under(event);
        if (span === null) return;
        const room = (span.end - span.start) * 0.05;
        this.#view.show(span.start - room, span.end + room);
      },
      changed: () => this.#repaint(),
    });
    this.stage.addEventListener("keydown", (event) => this.#onKey(event));
  }

  #under(event: MouseEvent): TimelineSpan | null {
    const { top } = this.stage.getBoundingClientRect();
    const slack = 2 * (this.#view.to - this.#view.from) / this.#width;
    return spanAt(this.#timeline, this.#layout, this.#timeAt(event.clientX), event.clientY - top, slack);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const view = this.#view;
    const actions: Record<string, () => void> = {
      ArrowRight: () => event.shiftKey ? view.pan(0.25) : this.#step(1),
      ArrowLeft: () => event.shiftKey ? view.pan(-0.25) : this.#step(-1),
      ArrowDown: () => this.#change(1),
      ArrowUp: () => this.#change(-1),
      "+": () => view.zoom(0.6),
      "=": () => view.zoom(0.6),
      "-": () => view.zoom(1 / 0.6),
      "0": () => view.all(),
      Enter: () => {
        if (this.#selected !== null) location.hash = this.#hrefs.event(this.#selected);
      },
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
    this.#repaint();
  }

  /** Selects the next span of the track. */
  #step(by: number): void {
    const selected = this.#selected;
    if (selected === null) return this.#select(this.#nearest(0), true);
    const { spans } = this.#timeline.tracks[selected.track]!;
    this.#select(spans[spans.indexOf(selected) + by] ?? selected, true);
  }

  /** Selects the nearest span of the next track. */
  #change(by: number): void {
    const track = this.#selected === null ? 0 : this.#selected.track + by;
    this.#select(this.#nearest(track) ?? this.#selected, true);
  }

  #nearest(track: number): TimelineSpan | null {
    const spans = this.#timeline.tracks[track]?.spans ?? [];
    const time = this.#selected?.start ?? this.#view.from;
    return spans.reduce<TimelineSpan | null>(
      (best, span) => best === null || Math.abs(span.start - time) < Math.abs(best.start - time) ? span : best,
      null,
    );
  }
}

/** Returns the names of tracks and counters, beside their rows. */
function trackLabels({ tracks, counters }: Timeline, layout: TimelineLayout): HTMLElement {
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
