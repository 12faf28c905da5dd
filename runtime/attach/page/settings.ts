/** Settings of the recorder in a page, as plain data. */
export interface PageSettings {
  /** A value of `--steps`; `auto` if missing. */
  readonly steps?: string;
  readonly stack?: boolean;
  /** Largest slowdown by timing, as a fraction. */
  readonly budget?: number;
  /** False only counts. */
  readonly timing?: boolean;
  /** Steps after which the recording ends. */
  readonly maxSteps?: number;
  /** Name of the browser's binding that takes text. */
  readonly binding?: string;
  /** Address that takes records by POST. */
  readonly to?: string;
}

/** Text that the binding gets when the recording should end, instead of records. */
export const END_REASONS = { steps: "!steps", close: "!close" } as const;

/** Name of the function that ends a recording, for a binding of this name. */
export function endFunction(binding: string): string {
  return `${binding}End`;
}
