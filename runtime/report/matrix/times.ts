import { ofPhase, phasesOf } from "../../record/phases.ts";
import type { Metric, Metrics } from "../../result/schema.ts";
import { figures, percentages, type TableSpec } from "../spec.ts";
import { variantColumns } from "./axes.ts";
import {
  AMORTISED,
  type ComparedResult,
  type ComparedVariant,
  isMerged,
  type MatrixColumn,
  type Need,
  possibleColumns,
} from "./column.ts";

/** Returns the part of the matrix that breaks down the time of a step; without rows for a run merged from several nodes. */
export function timesTable(result: ComparedResult): TableSpec<ComparedVariant> & { columns: MatrixColumn[] } {
  const title = "Time of a step";
  const { variants } = result;
  if (isMerged(result)) return { title, columns: variantColumns(variants), rows: [] };
  const device: readonly Need[] = ["model", "timestamps"];
  const training: readonly Need[] = ["model", "optimizer", "timestamps"];
  const stepped = variants.some(({ stepTimes }) => stepTimes !== null);
  const phases = phasesOf(variants.map(({ metrics }) => metrics));
  const some = (of: (metrics: Metrics) => Metric | null) => variants.some(({ metrics }) => of(metrics) !== null);
  const columns: MatrixColumn[] = [
    ...variantColumns(variants, "ms per step"),
    time("batch cost", ["batch", "cost"], ({ batchCost }) => batchCost, [], {
      dropFirst: 9,
      help: "From one step's start to the next, on the host's clock",
    }),
    ...stepped ? [quantile("median", 6), quantile("p95", 5), quantile("p99", 1)] : [],
    time("reader cost", ["reader", "cost"], ({ readerCost }) => readerCost, [], {
      dropFirst: 8,
      help: "Part of the batch cost that the training loop spends waiting for a batch",
    }),
    ...some(({ stepTime }) => stepTime)
      ? [
        time("step time", ["step", "time"], ({ stepTime }) => stepTime, ["model"], {
          dropFirst: 9,
          help: "A step, timed as the variant's timing setting says",
        }),
      ]
      : [],
    time("iteration gap", ["iter.", "gap"], ({ iterationGap }) => iterationGap, device, {
      dropFirst: 2,
      help: "Device idle time between two steps",
    }),
    ...phases.map(({ name, label, help }, i) =>
      time(label, [label], (metrics) => ofPhase(metrics, name), name === "forward" ? device : training, {
        dropFirst: Math.max(3, 5 - i),
        help,
      })
    ),
    ...some(({ allReduce }) => allReduce ?? null)
      ? [
        time("all-reduce", ["all-", "reduce"], ({ allReduce }) => allReduce ?? null, ["model", "ranks"], {
          dropFirst: 9,
          help: "Wait for the average of the gradients over ranks: copies, network and the slowest rank",
        }),
      ]
      : [],
    ...some(({ runtimeWait }) => runtimeWait)
      ? [
        time("runtime wait", ["runtime wait"], ({ runtimeWait }) => runtimeWait, [], {
          only: "data",
          help: "Time that Deno sleeps after each wait for the device",
        }),
      ]
      : [],
    {
      ...percentages("device busy", ({ metrics }) => metrics.deviceBusy?.value ?? null, {
        heading: ["device", "busy %"],
        dropFirst: 7,
        help: "Share of the phases in the time from the start of the first step to the end of the last",
      }),
      needs: device,
    },
  ];
  return { title, columns: possibleColumns(columns, variants), rows: variants };
}

/** Returns the column of a quantile over the steps of all blocks. */
function quantile(name: "median" | "p95" | "p99", dropFirst: number): MatrixColumn {
  return figures(`step ${name}`, ({ stepTimes }) => stepTimes && stepTimes[name], {
    heading: ["step", name],
    unit: "ms",
    help: "Batch cost of each step, over all blocks",
    dropFirst,
  });
}

function time(
  name: string,
  heading: readonly string[],
  metric: (metrics: Metrics) => Metric | null,
  needs: readonly Need[],
  options: Pick<MatrixColumn, "dropFirst" | "help" | "only">,
): MatrixColumn {
  const column = figures<ComparedVariant>(name, ({ metrics }) => metric(metrics)?.value ?? null, {
    heading,
    unit: "ms",
    mark: ({ metrics }) => metric(metrics)?.amortised ? AMORTISED : null,
    ...options,
  });
  return { ...column, needs };
}
