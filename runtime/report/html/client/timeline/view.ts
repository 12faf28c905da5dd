/** Visible range of time, in microseconds. */
export class View {
  from: number;
  to: number;
  readonly #end: number;

  constructor(from: number, to: number, end: number) {
    this.#end = Math.max(end, 1);
    this.from = 0;
    this.to = this.#end;
    this.show(from, to);
  }

  /** Shows a range of at least 0.1 µs, moved into the timeline. */
  show(from: number, to: number): void {
    const width = Math.min(this.#end, Math.max(0.1, to - from));
    this.from = Math.max(0, Math.min(from, this.#end - width));
    this.to = this.from + width;
  }

  /** @param part fraction of the visible width */
  pan(part: number): void {
    const by = (this.to - this.from) * part;
    this.show(this.from + by, this.to + by);
  }

  /** Scales the visible range by `factor`, around a fixed time. */
  zoom(factor: number, around = (this.from + this.to) / 2): void {
    const from = around - (around - this.from) * factor;
    this.show(from, from + (this.to - this.from) * factor);
  }

  all(): void {
    this.show(0, this.#end);
  }

  /** Scrolls a span into view, unless it is visible. */
  reveal(start: number, end: number): void {
    const width = this.to - this.from;
    if (start >= this.from && end <= this.to && end - start > width / 400) return;
    const wanted = Math.max(Math.min(width, (end - start) * 200), (end - start) * 1.4);
    const middle = (start + end) / 2;
    this.show(middle - wanted / 2, middle + wanted / 2);
  }
}
