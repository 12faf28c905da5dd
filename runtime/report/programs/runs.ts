import { median } from "../../core/statistics.ts";
import type { Block, VariantResult } from "../../result/schema.ts";
import { counts, figures, names, type TableSpec, words } from "../spec.ts";

interface RunsRow {
  readonly name: string;
  /** Wall time of each run in ms. */
  readonly times: readonly number[];
  readonly runs: NonNullable<Block["runs"]>;
}

/** Bytes of a MiB. */
const MIB = 2 ** 20;

/** Returns the table of the whole runs of commands. */
export function runsTable(
  { variants }: {
    readonly variants: readonly (Pick<VariantResult, "name"> & { readonly blocks: readonly Pick<Block, "runs">[] })[];
  },
): TableSpec<RunsRow> {
  const rows = variants.flatMap(({ name, blocks }): RunsRow[] => {
    const runs = blocks.flatMap(({ runs = [] }) => runs);
    return runs.length === 0 ? [] : [{ name, times: runs.map(({ wall }) => wall), runs }];
  });
  const deviation = ({ times }: RunsRow) => {
    const mean = meanOf(times)!;
    return times.length < 2
      ? null
      : Math.sqrt(times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1));
  };
  const failed = rows.some(({ runs }) => runs.some(({ status }) => status !== 0));
  return {
    title: "Whole runs, in ms",
    columns: [
      names("variant", ({ name }) => name),
      counts("runs", ({ runs }) => runs.length),
      figures<RunsRow>("mean", ({ times }) => meanOf(times), { unit: "ms" }),
      figures<RunsRow>("deviation", deviation, { heading: ["±"], unit: "ms", help: "Standard deviation of the runs" }),
      figures<RunsRow>("median", ({ times }) => median(times), { unit: "ms" }),
      figures<RunsRow>("min", ({ times }) => Math.min(...times), { unit: "ms" }),
      figures<RunsRow>("max", ({ times }) => Math.max(...times), { unit: "ms" }),
      figures<RunsRow>("user", ({ runs }) => meanOf(runs.map(({ user }) => user)), { unit: "ms" }),
      figures<RunsRow>("system", ({ runs }) => meanOf(runs.map(({ system }) => system)), { unit: "ms" }),
      figures<RunsRow>("peak memory", ({ runs }) => peakOf(runs), {
        heading: ["peak", "MiB"],
        unit: "MiB",
        help: "Of the largest process of any run",
      }),
      ...failed
        ? [words<RunsRow>("exit status", ({ runs }) => [...new Set(runs.map(({ status }) => status))].join(", "))]
        : [],
    ],
    rows,
    notes: ["user and system: processor time of a run's processes, on average"],
  };
}

function peakOf(runs: RunsRow["runs"]): number | null {
  const known = runs.flatMap(({ memory }) => memory ?? []);
  return known.length === 0 ? null : Math.max(...known) / MIB;
}

/** Returns the mean; null if a value is unknown. */
function meanOf(values: readonly (number | null)[]): number | null {
  if (values.includes(null)) return null;
  return values.reduce<number>((sum, value) => sum + value!, 0) / values.length;
}
