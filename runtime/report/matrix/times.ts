import { ofPhase, phasesOf } from "../../record/phases.ts";
import type { Metric, Metrics, Result } from "../../result/schema.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { AMORTISED, type MatrixColumn, type Need, variantColumn } from "./column.ts";

/** The part of the matrix that says where the time of a step goes. */
export function timeColumns({ variants }: Result): MatrixColumn[] {
  const device: readonly Need[] = ["model", "timestamps"];
  const training: readonly Need[] = ["model", "optimizer", "timestamps"];
  const stepped = variants.some(({ stepTimes }) => stepTimes !== null);
  const phases = phasesOf(variants.map(({ metrics }) => metrics));
  const methods = variants.some(({ metrics }) => metrics.stepTime !== null);
  return [
    variantColumn("ms a step"),
    time("batch cost", ["batch", "cost"], ({ batchCost }) => batchCost, [], 9),
    ...stepped ? [quantile("median", 6), quantile("p95", 5), quantile("p99", 1)] : [],
    time("reader cost", ["reader", "cost"], ({ readerCost }) => readerCost, [], 8),
    ...methods ? [time("step time", ["step", "time"], ({ stepTime }) => stepTime, ["model"], 9)] : [],
    time("iteration gap", ["iter.", "gap"], ({ iterationGap }) => iterationGap, device, 2),
    ...phases.map(({ name, label }, i) =>
      time(
        label,
        [label],
        (metrics) => ofPhase(metrics, name),
        name === "forward" ? device : training,
        Math.max(3, 5 - i),
      )
    ),
    {
      name: "device busy",
      heading: ["device", "busy %"],
      align: "right",
      needs: device,
      dropFirst: 7,
      cell: ({ metrics }) => metrics.deviceBusy && { text: formatPercent(metrics.deviceBusy.value) },
    },
  ];
}

/** Of the steps of all blocks. */
function quantile(name: "median" | "p95" | "p99", dropFirst: number): MatrixColumn {
  return {
    name: `step ${name}`,
    heading: ["step", name],
    align: "right",
    needs: [],
    dropFirst,
    cell: ({ stepTimes }) => stepTimes && { text: formatNumber(stepTimes[name]) },
  };
}

function time(
  name: string,
  heading: readonly string[],
  metric: (metrics: Metrics) => Metric | null,
  needs: readonly Need[],
  dropFirst: number,
): MatrixColumn {
  return {
    name,
    heading,
    align: "right",
    needs,
    dropFirst,
    cell: ({ metrics }) => {
      const measured = metric(metrics);
      if (measured === null) return null;
      const text = formatNumber(measured.value);
      return measured.amortised ? { text, mark: AMORTISED } : { text };
    },
  };
}
