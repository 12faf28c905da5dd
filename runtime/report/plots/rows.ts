import { nameText } from "../plain_text.ts";
import { linearScale, linearTicks, logScale, type Scale } from "../scale.ts";
import { label, LEFT, line, type Plot, type Shape } from "./plot.ts";

/** Room right of the last tick, for the label of a row. */
const LABEL = 60;
const TOP = 4;
const AXIS = 34;

/** Height of the name above a row, and width of a letter. */
const [NAME, LETTER] = [17, 6.5];

/** Least distance of ticks. */
const TICK = 100;

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
  readonly width: number;
  readonly tickText?: (value: number) => string;
}

/** Returns a plot of rows, one below the other, over a common axis. */
export function rowsPlot(options: RowsOptions): Plot {
  const { rows, rowHeight, domain, unit, logarithmic = false, tickText = shortNumber, width, ...named } = options;
  const ends = [LEFT, width - LABEL] as const;
  const x = logarithmic ? logScale(domain, ends) : linearScale(domain, ends);
  const bottom = TOP + rows.length * (NAME + rowHeight);
  const ticks = linearTicks(domain[0], domain[1], Math.min(6, width / TICK)).filter((tick) =>
    tick >= domain[0] && tick <= domain[1]
  );
  return {
    ...named,
    width,
    height: bottom + AXIS,
    shapes: [
      ...ticks.map((tick) => line(x(tick), TOP, x(tick), bottom, { class: "grid" })),
      ...ticks.map((tick) => label(x(tick), bottom + 14, tickText(tick), { "text-anchor": "middle" })),
      label((ends[0] + ends[1]) / 2, bottom + 29, unit, { "text-anchor": "middle" }),
      ...rows.flatMap((row, i) => {
        const top = TOP + i * (NAME + rowHeight);
        const name = nameText(row.name, Math.floor((width - LEFT) / LETTER));
        return [label(LEFT, top + 13, name, { class: "name" }), ...row.draw(x, top + NAME, rowHeight)];
      }),
    ],
  };
}

/** Returns a number with as few digits as it needs. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
