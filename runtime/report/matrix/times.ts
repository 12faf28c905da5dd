import { ofPhase, phasesOf } from "../../record/phases.ts";
import type { Metric, Metrics } from "../../result/schema.ts";
import { figures, percentages, type TableSpec } from "../spec.ts";
import {
  AMORTISED,
  type ComparedResult,
  type ComparedVariant,
  type MatrixColumn,
  type Need,
  variantColumn,
} from "./column.ts";

/** The part of the matrix that says where the time of a step goes. */
export function timesTable({ variants }: ComparedResult): TableSpec<ComparedVariant> & { columns: MatrixColumn[] } {
  const device: readonly Need[] = ["model", "timestamps"];
  const training: readonly Need[] = ["model", "optimizer", "timestamps"];
  const stepped = variants.some(({ stepTimes }) => stepTimes !== null);
  const phases = phasesOf(variants.map(({ metrics }) => metrics));
  const some = (of: (metrics: Metrics) => Metric | null) => variants.some(({ metrics }) => of(metrics) !== null);
  const columns: MatrixColumn[] = [
    variantColumn("ms a step"),
    time("batch cost", ["batch", "cost"], ({ batchCost }) => batchCost, [], {
      dropFirst: 9,
      help: "From one step's start to the next, on the host's clock",
    }),
    ...stepped ? [quantile("median", 6), quantile("p95", 5), quantile("p99", 1)] : [],
    time("reader cost", ["reader", "cost"], ({ readerCost }) => readerCost, [], {
      dropFirst: 8,
      help: "The part of it in which the training loop waited for a batch",
    }),
    ...some(({ stepTime }) => stepTime)
      ? [
        time("step time", ["step", "time"], ({ stepTime }) => stepTime, ["model"], {
          dropFirst: 9,
          help: "A step by the variant's own way of timing",
        }),
      ]
      : [],
    time("iteration gap", ["iter.", "gap"], ({ iterationGap }) => iterationGap, device, {
      dropFirst: 2,
      help: "The device's idle time between two steps",
    }),
    ...phases.map(({ name, label, help }, i) =>
      time(label, [label], (metrics) => ofPhase(metrics, name), name === "forward" ? device : training, {
        dropFirst: Math.max(3, 5 - i),
        help,
      })
    ),
    ...some(({ runtimeWait }) => runtimeWait)
      ? [
        time("runtime wait", ["runtime wait"], ({ runtimeWait }) => runtimeWait, [], {
          only: "data",
          help: "Time lost in Deno's own sleep after a wait",
        }),
      ]
      : [],
    {
      ...percentages("device busy", ({ metrics }) => metrics.deviceBusy?.value ?? null, {
        heading: ["device", "busy %"],
        dropFirst: 7,
        help: "Phases' share of the time from the first step's start to the last's end",
      }),
      needs: device,
    },
  ];
  return { title: "Time of a step", columns, rows: variants };
}

/** Of the steps of all blocks. */
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
