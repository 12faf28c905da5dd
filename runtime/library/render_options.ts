import type { Timeline } from "../record/timeline.ts";

/** Format of a rendered result. */
export type RenderFormat = "terminal" | "markdown" | "html" | "csv" | "json";

/** Options of `render`. */
export interface RenderOptions {
  /** Default `terminal`. */
  readonly format?: RenderFormat | undefined;
  /**
   * Parts to render, in this order: `matrix`, or tables by the names that `tacho show --csv` lists, such as `ops`. A terminal
   * also has `outcome` (effects, targets, bottlenecks, advice), `advice` (every finding), `profile` and `pipeline`, CSV has
   * `profile`. Parts that were not measured are left out. Default: `matrix` and `outcome` in a terminal, the page of
   * `--report` in Markdown, `speed` in CSV. HTML and JSON are always whole.
   */
  readonly sections?: readonly string[] | undefined;
  /** Columns of the terminal; null shows all columns of a table, however wide. Default 100. */
  readonly width?: number | null | undefined;
  /** Colours in a terminal. Default false. */
  readonly color?: boolean | undefined;
  /** Explains the method below the matrix in a terminal. Default false. */
  readonly explain?: boolean | undefined;
  /** Timelines for the HTML page, from the `timeline` events of the measurement. */
  readonly timelines?: readonly Timeline[] | undefined;
}
