import type { LossCheck } from "../analysis/agreement/verify_losses.ts";
import { createPaint } from "./color.ts";
import { MISSING } from "./format.ts";
import { nameInProse } from "./plain_text.ts";
import { type Cell, renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

/** Prose is not set wider than this. */
const PROSE_WIDTH = 100;

export interface VerificationOptions {
  /** Columns of the terminal; null when the output is no terminal. */
  readonly columns: number | null;
  readonly color: boolean;
  /** What the first run is called. */
  readonly first: string;
  /** Whether both runs had the same adapter with the same driver. */
  readonly sameAdapter: boolean;
}

/** Which variants gave the losses of an earlier run again, and where the others begin to differ. */
export function renderVerification(
  checks: readonly LossCheck[],
  { columns, color, first, sameAdapter }: VerificationOptions,
): string {
  const paint = createPaint(color);
  const width = Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH);
  const left = { name: "", align: "left" } as const;
  const right = { name: "", align: "right" } as const;
  const table = renderTable(
    [
      { ...left, heading: ["variant"], breakAfter: "," },
      { ...right, heading: ["steps"] },
      { ...left, heading: ["losses"] },
      { ...right, heading: ["then"] },
      { ...right, heading: ["now"] },
    ],
    checks.map(rowOf),
    {
      width: columns ?? PROSE_WIDTH,
      drop: false,
      paint,
      under: (row) => {
        const { failed, samePlan, losses } = checks[row]!;
        const plan = samePlan || losses.first === null ? null : "another plan of kernels than then";
        return [failed, plan].flatMap((note) => note === null ? [] : wrap(`    ${note}`, width, 4))
          .map((line) => paint(line, "quiet"));
      },
    },
  );
  const apart = checks.filter(({ identical }) => !identical).length;
  const why = sameAdapter
    ? ""
    : ": the adapter or its driver is another, and rounds differently, which is to be expected";
  const [summary, tone] = apart === 0
    ? [`The losses are those of ${nameInProse(first)}, to the last bit`, "good"] as const
    : [`The losses are not those of ${nameInProse(first)}${why}`, "bad"] as const;
  const last = wrap(summary, width).map((line) => paint(line, tone));
  return [...table.lines, "", ...last].join("\n") + "\n";
}

function rowOf({ name, wanted, losses, identical }: LossCheck): Cell[] {
  const { first, steps } = losses;
  const words: Cell = identical
    ? { text: "identical", tone: "good" }
    : first === null
    ? { text: "not verified", tone: "bad" }
    : { text: `differ from step ${first.step} on`, tone: "bad" };
  return [
    { text: name },
    { text: steps === wanted ? String(steps) : `${steps} of ${wanted}` },
    words,
    { text: first === null ? (identical ? "" : MISSING) : String(first.then) },
    { text: first === null ? (identical ? "" : MISSING) : String(first.now) },
  ];
}
