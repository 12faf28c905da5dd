import type { Result, Target, VariantResult } from "../../result/schema.ts";
import { formatCount, formatNumber, formatSeconds } from "../format.ts";
import type { DataColumn, Section } from "../page.ts";

/** More seeds than this have no column of their own. */
const MOST_SEEDS = 8;

type Aimed = VariantResult & { readonly target: Target };

/** How long each variant takes to the scenario's loss or accuracy, a table for each goal; empty where none is named. */
export function targetSections({ variants }: Result): Section<Aimed>[] {
  const aimed = variants.filter((variant): variant is Aimed => variant.target !== null);
  return [...Map.groupBy(aimed, ({ target }) => goal(target))].map(([goal, rows]) => {
    const seeds = [...new Set(rows.flatMap(({ target }) => target.seeds.map(({ seed }) => seed)))];
    const missed = rows.some(({ target }) => target.seeds.some(({ wall }) => wall === null));
    return {
      title: `Time to ${goal}`,
      columns: [...COLUMNS, ...seeds.slice(0, MOST_SEEDS).map(seedColumn)],
      rows,
      notes: [
        "mean: over the seeds that got there, with its interval; seeds: seconds of training / steps",
        ...missed ? ["–  it did not get there within its steps"] : [],
        ...seeds.length > MOST_SEEDS ? [`${seeds.length - MOST_SEEDS} more seeds have no column`] : [],
      ],
    };
  });
}

function goal({ metric, threshold }: Target): string {
  return metric === "accuracy" ? `an accuracy of ${formatNumber(threshold * 100)} %` : `a loss of ${threshold}`;
}

const COLUMNS: readonly DataColumn<Aimed>[] = [
  { name: "variant", heading: ["variant"], align: "left", breakAfter: ",", cut: true, cell: ({ name }) => name },
  {
    name: "seeds that got there",
    heading: ["got", "there"],
    align: "right",
    cell: ({ target: { seeds } }) => `${seeds.filter(({ wall }) => wall !== null).length} of ${seeds.length}`,
  },
  {
    name: "mean",
    heading: ["mean"],
    align: "right",
    cell: ({ target: { time } }) => time && formatSeconds(time.value),
  },
  {
    name: "interval",
    heading: ["interval", "s"],
    align: "right",
    cell: ({ target: { time } }) =>
      time === null || time.low === null || time.high === null
        ? null
        : `${formatNumber(time.low / 1000)}-${formatNumber(time.high / 1000)}`,
  },
];

function seedColumn(seed: number, index: number): DataColumn<Aimed> {
  return {
    name: `seed ${seed}`,
    heading: [`seed ${seed}`, "s / steps"],
    align: "right",
    dropFirst: MOST_SEEDS - index,
    cell: ({ target }) => {
      const run = target.seeds.find((run) => run.seed === seed);
      if (run === undefined || run.wall === null) return null;
      return `${formatNumber(run.wall / 1000)} / ${run.steps === null ? "–" : formatCount(run.steps)}`;
    },
  };
}
