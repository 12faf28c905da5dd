/** Rectangle of a result that is set to zero: rows [y0, y1) and columns [x0, x1). */
export interface Hole {
  y0: number;
  y1: number;
  x0: number;
  x1: number;
  /** Number of the pass's points before it; the later ones apply to its zeros. */
  readonly level: number;
}

/**
 * Mapping from pixels of a result to pixels of a source: result pixel (y, x) is source pixel `(top + y, left + x * step)`
 * within the bounds, and zero elsewhere and in holes. Any sequence of crops with padding, flips and holes has this form.
 */
export class PixelWindow {
  top = 0;
  left = 0;
  /** 1, or -1 if mirrored. */
  step = 1;
  height = 0;
  width = 0;
  /** Source rows [y0, y1) and columns [x0, x1) that are not padding. */
  y0 = 0;
  y1 = 0;
  x0 = 0;
  x1 = 0;
  /** Holes in the result's rows and columns, in the order of punching. */
  readonly holes: Hole[] = [];
  /** Level of the holes punched next. */
  level = 0;

  /** Resets to the whole of a `height` x `width` source. */
  reset(height: number, width: number): void {
    this.top = this.left = 0;
    this.y0 = this.x0 = 0;
    this.step = 1;
    this.height = this.y1 = height;
    this.width = this.x1 = width;
    this.level = 0;
    if (this.holes.length > 0) this.holes.length = 0;
  }

  /** Crops the `height` x `width` rectangle with its corner at (y, x). Parts outside the image are zero. */
  crop(y: number, x: number, height: number, width: number): void {
    const right = this.left + this.step * (this.width - 1);
    this.y0 = Math.max(this.y0, this.top);
    this.y1 = Math.min(this.y1, this.top + this.height);
    this.x0 = Math.max(this.x0, Math.min(this.left, right));
    this.x1 = Math.min(this.x1, Math.max(this.left, right) + 1);
    this.top += y;
    this.left += this.step * x;
    this.height = height;
    this.width = width;
    for (const hole of this.holes) {
      hole.y0 -= y;
      hole.y1 -= y;
      hole.x0 -= x;
      hole.x1 -= x;
    }
  }

  /** Mirrors left to right. */
  flip(): void {
    this.left += this.step * (this.width - 1);
    this.step = this.step === 1 ? -1 : 1;
    for (const hole of this.holes) [hole.x0, hole.x1] = [this.width - hole.x1, this.width - hole.x0];
  }

  /** Sets the rectangle with its corner at (y, x) to zero. Parts outside the image are ignored. */
  punch(y: number, x: number, height: number, width: number): void {
    this.holes.push({ y0: y, y1: y + height, x0: x, x1: x + width, level: this.level });
  }
}
