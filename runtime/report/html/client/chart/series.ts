/** One thing that is drawn over x. Null where it was not measured. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Name of a CSS variable. */
  readonly color: string;
  readonly kind: "bars" | "line" | "steps" | "points";
  readonly dash?: boolean;
}

export interface SeriesChartOptions {
  /** What the chart shows, in words. */
  readonly label: string;
  readonly x: { readonly name: string; readonly values: readonly number[]; readonly text?: (x: number) => string };
  /** Of the values. */
  readonly unit: string;
  readonly series: readonly Series[];
  /** Bars stand upon each other, the first lowest; other kinds are drawn as they are. */
  readonly stacked?: boolean;
  readonly format?: (value: number) => string;
  /** Values at which the axis must begin and end at the latest. */
  readonly include?: readonly number[];
  /** A place on x that is marked, with a word. */
  readonly mark?: { readonly x: number; readonly text: string } | null;
  readonly height?: number;
}
