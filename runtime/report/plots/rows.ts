import { nameText, printable } from "../plain_text.ts";
import { linearScale, linearTicks, logScale, type Scale } from "../scale.ts";
import { label, line, type Plot, type Shape, WIDTH } from "./plot.ts";

/** Room for the names of rows, and right of the last tick. */
const NAMES = 210;
const RIGHT = 70;
const TOP = 8;
const AXIS = 34;

/** Longest line of a name, which has two lines at most. */
const LONGEST_LINE = 26;

/** Height of a line. */
const LINE = 13;

/** A row of a plot: its name, and what it draws. */
export interface PlotRow {
  readonly name: string;
  /** Draws the row between `top` and `top + height`. */
  draw(x: Scale, top: number, height: number): readonly Shape[];
}

export interface RowsOptions extends Pick<Plot, "name" | "title" | "about"> {
  readonly rows: readonly PlotRow[];
  readonly rowHeight: number;
  /** Ends of the axis. */
  readonly domain: readonly [number, number];
  readonly unit: string;
  readonly logarithmic?: boolean;
  readonly tickText?: (value: number) => string;
}

/** Returns a plot of rows, one below the other, over a common axis. */
export function rowsPlot(options: RowsOptions): Plot {
  const { rows, rowHeight, domain, unit, logarithmic = false, tickText = shortNumber, ...named } = options;
  const ends = [NAMES, WIDTH - RIGHT] as const;
  const x = logarithmic ? logScale(domain, ends) : linearScale(domain, ends);
  const bottom = TOP + rows.length * rowHeight;
  const ticks = linearTicks(domain[0], domain[1], 6).filter((tick) => tick >= domain[0] && tick <= domain[1]);
  return {
    ...named,
    width: WIDTH,
    height: bottom + AXIS,
    shapes: [
      ...ticks.map((tick) => line(x(tick), TOP, x(tick), bottom, { class: "grid" })),
      ...ticks.map((tick) => label(x(tick), bottom + 14, tickText(tick), { "text-anchor": "middle" })),
      label((ends[0] + ends[1]) / 2, bottom + 29, unit, { "text-anchor": "middle" }),
      ...rows.flatMap((row, i) => {
        const top = TOP + i * rowHeight;
        const lines = nameLines(row.name);
        const first = top + rowHeight / 2 + 4 - LINE / 2 * (lines.length - 1);
        const names = lines.map((text, line) =>
          label(NAMES - 8, first + line * LINE, text, { class: "name", "text-anchor": "end" })
        );
        return [...names, ...row.draw(x, top, rowHeight)];
      }),
    ],
  };
}

/** Returns a name in one line or two; a longer one is cut in its second line. */
function nameLines(name: string): string[] {
  const text = printable(name);
  if (nameText(name, LONGEST_LINE) === text) return [text];
  // After a comma or before a sign between spaces, else within a word
  const breaks = [...text.slice(0, LONGEST_LINE + 1).matchAll(/[,/]|(?= )/g)].map(({ index, 0: sign }) =>
    index + sign.length
  );
  const at = breaks.at(-1) || LONGEST_LINE;
  return [text.slice(0, at).trim(), nameText(text.slice(at).trim(), LONGEST_LINE)];
}

/** Returns a number with as few digits as it needs. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
