/** Values drawn over x; null where nothing was measured. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Name of a CSS variable. */
  readonly color: string;
  readonly kind: "bars" | "line" | "steps" | "points";
  readonly dash?: boolean;
  /** Ends of the interval around each value, drawn as a whisker. */
  readonly intervals?: readonly (readonly [low: number, high: number] | null)[];
}

/** Labelled vertical line. */
export interface ChartMark {
  readonly x: number;
  readonly text: string;
}

export interface SeriesChartOptions {
  /** Description of the chart. */
  readonly label: string;
  readonly x: { readonly name: string; readonly values: readonly number[]; readonly text?: (x: number) => string };
  /** Unit of the values. */
  readonly unit: string;
  readonly series: readonly Series[];
  /** Stacks bars, the first at the bottom; other kinds are not stacked. */
  readonly stacked?: boolean;
  readonly format?: (value: number) => string;
  /** Values that the axis must include. */
  readonly include?: readonly number[];
  /** Labelled marks on x. */
  readonly marks?: readonly ChartMark[];
  readonly height?: number;
  /** Opens what a value on x stands for, by click or Enter. */
  readonly open?: { readonly what: string; readonly at: (i: number) => void };
}
