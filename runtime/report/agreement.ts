import type { FigurePair, VariantAgreement } from "../analysis/agreement/compare_results.ts";
import type { NumberReading } from "../analysis/gates/reading.ts";
import { createPaint } from "./color.ts";
import { formatNumber, MISSING } from "./format.ts";
import { nameInProse, namesInProse } from "./plain_text.ts";
import { type Cell, renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

/** Prose is not set wider than this. */
const PROSE_WIDTH = 100;

export interface AgreementOptions {
  /** Columns of the terminal; null when the output is no terminal. */
  readonly columns: number | null;
  readonly color: boolean;
  /** What the first run is called: an id or a file. */
  readonly first: string;
  /** Whether both had the same settings, without which agreeing means nothing. */
  readonly sameSettings: boolean;
}

/** Two runs of an experiment side by side: a pair of rows for each variant, and below it what does not agree. */
export function renderAgreement(
  variants: readonly VariantAgreement[],
  { columns, color, first, sameSettings }: AgreementOptions,
): string {
  const paint = createPaint(color);
  const width = Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH);
  const unit = variants.map(({ ips }) => (ips.then ?? ips.now)?.unit).find((unit) => unit !== undefined);
  const left = { name: "", align: "left" } as const;
  const table = renderTable(
    [
      { ...left, heading: ["variant"], breakAfter: "," },
      { ...left, heading: ["run"] },
      { ...left, heading: [unit ?? "speed", "95 % interval"] },
      { ...left, heading: ["ratio", "95 % interval"] },
      { ...left, heading: ["verdict"] },
      { ...left, heading: ["losses"] },
    ],
    variants.flatMap(rowsOf),
    {
      width: columns ?? PROSE_WIDTH,
      drop: false,
      paint,
      under: (row) => {
        if (row % 2 === 0) return [];
        return variants[(row - 1) / 2]!.disagreements.flatMap((line) => wrap(`    does not agree: ${line}`, width, 6))
          .map((line) => paint(line, "bad"));
      },
    },
  );
  const apart = variants.filter(({ disagreements }) => disagreements.length > 0).map(({ name }) => name);
  const [summary, tone] = apart.length > 0
    ? [`The results do not agree with ${nameInProse(first)}: ${namesInProse(apart)}`, "bad"] as const
    : sameSettings
    ? [`The results agree with ${nameInProse(first)}`, "good"] as const
    : [`The results are of other settings than those of ${nameInProse(first)}`, "bad"] as const;
  const last = wrap(summary, width).map((line) => paint(line, tone));
  return [...table.lines, "", ...last].join("\n") + "\n";
}

function rowsOf(variant: VariantAgreement): Cell[][] {
  const { name, ips, speedup, verdicts } = variant;
  return [
    [
      { text: name },
      { text: "then" },
      { text: figure(ips.then, speed) },
      { text: figure(speedup.then, times, "×") },
      { text: verdicts[0] ?? MISSING },
      { text: "" },
    ],
    [
      { text: "" },
      { text: "now" },
      { text: figure(ips.now, speed) + overlap(ips) },
      { text: figure(speedup.now, times, "×") + overlap(speedup) },
      { text: verdicts[1] ?? MISSING },
      { text: lossWords(variant) },
    ],
  ];
}

function figure(reading: NumberReading | null, format: (value: number) => string, sign = ""): string {
  if (reading === null) return MISSING;
  const { value, interval } = reading;
  if (interval !== null && interval.low === interval.high) return sign + format(value);
  return sign + format(value) + (interval === null ? "" : ` [${format(interval.low)}, ${format(interval.high)}]`);
}

function times(value: number): string {
  return value < 100 ? value.toFixed(3) : speed(value);
}

/** An interval of few rounds can be so wide that its ends are best written short. */
function speed(value: number): string {
  return value < 1e6 ? formatNumber(value) : value.toExponential(0);
}

function overlap({ now, overlap }: FigurePair): string {
  // The baseline is as fast as itself
  if (now?.interval?.low === now?.interval?.high) return "";
  return overlap === null ? "" : overlap ? " overlap" : " apart";
}

function lossWords({ losses, lossNote }: VariantAgreement): string {
  if (losses === null) return `${MISSING} (${lossNote})`;
  if (losses.steps === 0) return MISSING;
  if (losses.first === null) return `identical, ${losses.steps} steps`;
  const { step, then, now } = losses.first;
  return `differ at step ${step}: ${then}, ${now}`;
}
