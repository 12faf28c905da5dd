import type { VariantResult } from "../../result/schema.ts";
import type { Tone } from "../color.ts";
import {
  formatDifference,
  formatInterval,
  formatLoss,
  formatMiB,
  formatNumber,
  formatPercent,
  formatProbability,
  formatRatio,
} from "../format.ts";
import { counts, figures, percentages, type TableSpec, words } from "../spec.ts";
import { boundTone } from "../outcome/bottleneck.ts";
import { variantColumns } from "./axes.ts";
import {
  ABLATED,
  type ComparedResult,
  type ComparedVariant,
  isMerged,
  type MatrixColumn,
  possibleColumns,
} from "./column.ts";
import { spreadOf } from "./noise.ts";

/** Returns the part of the matrix that compares speeds: throughput, ratio, verdict, memory, loss and bound. */
export function speedTable(result: ComparedResult): TableSpec<ComparedVariant> & { columns: MatrixColumn[] } {
  const { variants } = result;
  const unit = speedUnit(variants);
  const judged = variants.some(({ comparison, verdict }) => comparison !== null || verdict !== null);
  const columns: MatrixColumn[] = [
    ...variantColumns(variants),
    ...isMerged(result) ? [] : [
      figures<ComparedVariant>(unit, ({ metrics }) => metrics.ips?.value ?? null, {
        format: speedText,
        help: "Samples in a block / its wall time; ± half the interquartile range over the blocks",
      }),
    ],
    figures("ratio", ({ metrics }) => metrics.speedup?.value ?? null, {
      format: formatRatio,
      tone: verdictTone,
      help: "Baseline's time per sample / the variant's",
    }),
    ...judged ? verdictColumns(result) : [],
    ...variants.some(({ ranks }) => ranks !== undefined) ? RANK_COLUMNS : [],
    {
      ...figures("peak memory", ({ memory }) => memory && memory.peak / 2 ** 20, {
        heading: ["peak", "MiB"],
        unit: "MiB",
        help: "Planned device memory",
        dropFirst: 1,
        format: (_, { memory }) => formatMiB(memory!.peak),
      }),
      needs: ["model"],
    },
    {
      ...figures("final loss", ({ finalLoss }) => finalLoss && Number(finalLoss.value), {
        heading: lossHeading(variants),
        help: "At the same step in every variant and run; the settings under measure determine it",
        dropFirst: 8,
        format: formatLoss,
      }),
      needs: ["model"],
    },
    ...variants.length > 1 ? [lossDifference(result)] : [],
    ...variants.some(({ metrics }) => metrics.accuracy !== null) ? [ACCURACY] : [],
    words("bound", ({ bound }) => bound, {
      help: "What limits the speed: input (batches), transfer (their upload), host (everything else on the CPU) or " +
        "device. By ablations where they were run, otherwise by the step trace and the queues",
      mark: ({ bottleneck }) => bottleneck?.byArms == null ? null : ABLATED,
      dropFirst: 7,
      tone: ({ bound }) => boundTone(bound),
    }),
    counts("findings", ({ findings }) => findings.length, { only: "data" }),
  ];
  return { title: "Speed", columns: possibleColumns(columns, variants), rows: variants };
}

/** Returns the heading of the final loss with its step: that of all variants. */
function lossHeading(variants: readonly ComparedVariant[]): readonly string[] {
  const [step, ...others] = new Set(variants.flatMap(({ finalLoss }) => finalLoss === null ? [] : [finalLoss.step]));
  return step === undefined || others.length > 0 ? ["final", "loss"] : ["loss at", `step ${step + 1}`];
}

const ACCURACY: MatrixColumn = percentages("accuracy", ({ metrics }) => metrics.accuracy?.value ?? null, {
  help: "On the test split, in the last evaluation",
  only: "data",
});

/** Columns of distributed variants. */
const RANK_COLUMNS: readonly MatrixColumn[] = [
  {
    ...percentages("efficiency", ({ ranks }) => ranks?.efficiency ?? null, {
      heading: ["effi-", "ciency %"],
      help: "Speed relative to one rank / number of ranks",
      dropFirst: 8,
    }),
    needs: ["model", "ranks"],
  },
  {
    ...percentages("network not hidden", ({ ranks }) => ranks?.notHidden ?? null, {
      heading: ["not", "hidden %"],
      help: "Part of the all-reduces' transfers that the device does not hide",
      dropFirst: 7,
    }),
    needs: ["model", "ranks"],
  },
];

const VERDICT_TONES: Readonly<Record<NonNullable<VariantResult["verdict"]>, Tone | null>> = {
  faster: "good",
  slower: "bad",
  same: null,
  unclear: "warning",
  invalid: "bad",
};

function verdictTone({ verdict }: ComparedVariant): Tone | null {
  return verdict === null ? null : VERDICT_TONES[verdict];
}

/** Returns the columns of the comparison; the baseline's cells are empty. */
function verdictColumns({ variants, baseline }: ComparedResult): MatrixColumn[] {
  const level = variants.flatMap(({ comparison }) => comparison ?? [])[0]?.level ?? 0.95;
  const isBaseline = ({ name }: ComparedVariant) => name === baseline;
  return [
    words("interval", (variant) => isBaseline(variant) ? "" : intervalText(variant), {
      heading: [`${formatPercent(level)} %`, "interval"],
      align: "right",
      dropFirst: 9,
      sort: (variant) => isBaseline(variant) ? null : variant.comparison?.speedup.low ?? null,
    }),
    words("verdict", (variant) => isBaseline(variant) ? "" : variant.verdict, {
      tone: (variant) => isBaseline(variant) ? null : verdictTone(variant),
    }),
    {
      ...figures<ComparedVariant>("p", () => null, { dropFirst: 0 }),
      value: (variant) => isBaseline(variant) ? "" : probability(variant),
      text: (variant) => isBaseline(variant) ? "" : formatProbability(probability(variant)!),
    },
  ];
}

function intervalText({ comparison }: ComparedVariant): string | null {
  const { low = null, high = null } = comparison?.speedup ?? {};
  return low === null || high === null ? null : formatInterval(low, high);
}

function probability({ comparison }: ComparedVariant): number | null {
  return comparison?.adjustedP ?? comparison?.p ?? null;
}

/** Returns the measured unit of speed, or the data's unit where nothing was measured. */
export function speedUnit(variants: readonly Pick<ComparedVariant, "metrics" | "config">[]): string {
  const measured = variants.find(({ metrics }) => metrics.ips !== null)?.metrics.ips?.unit;
  const called = variants.map(({ config }) => config.data?.unit).find((unit) => unit !== undefined);
  return measured ?? `${called ?? "samples"}/s`;
}

function speedText(value: number, { metrics, blocks }: ComparedVariant): string {
  const spread = metrics.ips!.min === null ? null : spreadOf(blocks);
  return formatNumber(value) + (spread === null ? "" : ` ±${formatPercent(spread / 2)}%`);
}

/** Returns the column of final loss minus the baseline's, where both are of the same step. */
function lossDifference({ variants, baseline }: ComparedResult): MatrixColumn {
  const reference = variants.find(({ name }) => name === baseline)?.finalLoss ?? null;
  const column = figures<ComparedVariant>("loss difference", ({ finalLoss }) => {
    if (!finalLoss || !reference || finalLoss.step !== reference.step) return null;
    return Number(finalLoss.value) - Number(reference.value);
  }, {
    heading: ["loss", "diff."],
    help: "Final loss minus the baseline's",
    dropFirst: 6,
    format: formatDifference,
  });
  return { ...column, needs: ["model"] };
}
