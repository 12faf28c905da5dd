import { type Percentile, PERCENTS } from "../../core/percentile.ts";
import type { Procedure, VariantResult } from "../../result/schema.ts";
import { formatNumber, MISSING } from "../format.ts";
import { counts, figures, names, type TableSpec } from "../spec.ts";

interface Row {
  readonly name: string;
  readonly steps: number;
  readonly percentiles: readonly Percentile[];
}

/** Sentence on the intervals of percentiles. */
export const PERCENTILE_NOTE =
  "in parentheses: 95 % interval between two of the times, whatever their distribution, if steps are independent";

/** Returns the table of step time percentiles; without rows unless variants are compared by one. */
export function latencyTable(
  { variants, procedure }: {
    readonly variants: readonly Pick<VariantResult, "name" | "stepTimes">[];
    readonly procedure: Pick<Procedure, "statistic"> | null;
  },
): TableSpec<Row> {
  return {
    title: "Percentiles of the step time, in ms",
    columns: [
      names("variant", ({ name }) => name),
      counts("steps", ({ steps }) => steps),
      ...PERCENTS.map((percent) => {
        const of = ({ percentiles }: Row) => percentiles.find((one) => one.percent === percent);
        return figures<Row>(`p${percent}`, (row) => of(row)?.value ?? null, {
          unit: "ms",
          format: (_, row) => percentileText(of(row)!),
        });
      }),
    ],
    rows: variants.flatMap(({ name, stepTimes }) => {
      const { percentiles, steps = 0 } = stepTimes ?? {};
      return percentiles === undefined ? [] : [{ name, steps, percentiles }];
    }),
    notes: [
      ...procedure?.statistic === undefined
        ? []
        : [`ratios and verdicts are of the ${procedure.statistic} of each block; here it is over all blocks`],
      PERCENTILE_NOTE,
    ],
  };
}

/** Formats a percentile with its interval: `12.3 (11.9-13.0)`. An end without enough values is missing. */
export function percentileText({ value, low, high }: Percentile): string {
  const end = (time: number | null) => time === null ? MISSING : formatNumber(time);
  return `${formatNumber(value)} (${end(low)} to ${end(high)})`;
}
