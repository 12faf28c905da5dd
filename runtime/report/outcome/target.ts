import type { Result, Target, VariantResult } from "../../result/schema.ts";
import { formatCount, formatNumber, formatSeconds } from "../format.ts";
import { type Column, figures, names, type TableSpec, words } from "../spec.ts";

/** Maximum number of seeds with their own columns. */
const MAX_SEEDS = 8;

type Aimed = Pick<VariantResult, "name"> & { readonly target: Target };

/** Returns a table for each goal: the time each variant takes to the target loss or accuracy. Empty without targets. */
export function targetTables(
  { variants }: { readonly variants: readonly Pick<Result["variants"][number], "name" | "target">[] },
): TableSpec<Aimed>[] {
  const aimed = variants.flatMap(({ name, target }) => target === null ? [] : [{ name, target }]);
  return [...Map.groupBy(aimed, ({ target }) => goal(target))].map(([goal, rows]) => {
    const seeds = [...new Set(rows.flatMap(({ target }) => target.seeds.map(({ seed }) => seed)))];
    const missed = rows.some(({ target }) => target.seeds.some(({ wall }) => wall === null));
    return {
      title: `Time to ${goal}`,
      columns: [...COLUMNS, ...seeds.slice(0, MAX_SEEDS).map(seedColumn)],
      rows,
      notes: [
        "mean, interval: over the seeds that reached the target; seeds: seconds of training / steps",
        ...missed ? ["–  target not reached within the steps"] : [],
        ...seeds.length > MAX_SEEDS ? [`not shown: ${seeds.length - MAX_SEEDS} more seeds`] : [],
      ],
    };
  });
}

function goal({ metric, threshold }: Target): string {
  return metric === "accuracy" ? `an accuracy of ${formatNumber(threshold * 100)} %` : `a loss of ${threshold}`;
}

const COLUMNS: readonly Column<Aimed>[] = [
  names("variant", ({ name }) => name),
  words("seeds that reached the target", ({ target: { seeds } }) => {
    return `${seeds.filter(({ wall }) => wall !== null).length} of ${seeds.length}`;
  }, { heading: ["reached"], align: "right" }),
  figures("mean", ({ target: { time } }) => time && time.value / 1000, {
    unit: "s",
    format: (_, { target: { time } }) => formatSeconds(time!.value),
  }),
  words("interval", ({ target: { time } }) => {
    if (time === null || time.low === null || time.high === null) return null;
    return `${formatNumber(time.low / 1000)}-${formatNumber(time.high / 1000)}`;
  }, { heading: ["interval", "s"], unit: "s", align: "right", sort: ({ target: { time } }) => time && time.low }),
];

function seedColumn(seed: number, index: number): Column<Aimed> {
  const runOf = ({ target: { seeds } }: Aimed) => seeds.find((run) => run.seed === seed);
  return words(`seed ${seed}`, (row) => {
    const { wall = null, steps = null } = runOf(row) ?? {};
    return wall === null ? null : `${formatNumber(wall / 1000)} / ${steps === null ? "–" : formatCount(steps)}`;
  }, {
    heading: [`seed ${seed}`, "s / steps"],
    align: "right",
    dropFirst: MAX_SEEDS - index,
    sort: (row) => runOf(row)?.wall ?? null,
  });
}
