import type { FigurePair, VariantAgreement } from "../analysis/agreement/agreement.ts";
import type { NumberReading } from "../analysis/gates/reading.ts";
import { formatNumber, MISSING } from "./format.ts";
import { createPage, type LookOptions, renderRows } from "./page.ts";
import { nameInProse, namesInProse } from "./plain_text.ts";
import { type Column, type TableSpec, words } from "./spec.ts";
import { wrap } from "./wrap.ts";
import type { LossCheck } from "../analysis/agreement/verify_losses.ts";

export interface AgreementOptions extends LookOptions {
  /** Name of the first run: an ID or a file. */
  readonly first: string;
  /** Both runs had the same settings; otherwise agreement means nothing. */
  readonly sameSettings: boolean;
}

/** Variant in one of the two runs. */
interface AgreementRow {
  readonly variant: VariantAgreement;
  readonly run: "then" | "now";
}

/** Returns the table of two runs of an experiment, with a pair of rows for each variant. */
export function agreementTable(variants: readonly VariantAgreement[]): TableSpec<AgreementRow> {
  const unit = variants.map(({ ips }) => (ips.then ?? ips.now)?.unit).find((unit) => unit !== undefined);
  return {
    title: "Agreement",
    columns: [
      words("variant", ({ variant, run }) => run === "then" ? variant.name : "", { breakAfter: "," }),
      words("run", ({ run }) => run),
      words("speed", ({ variant: { ips }, run }) => pairText(ips, run, speed), {
        heading: [unit ?? "speed", "95 % interval"],
      }),
      words("ratio", ({ variant: { speedup }, run }) => pairText(speedup, run, times, "×"), {
        heading: ["ratio", "95 % interval"],
      }),
      words("verdict", ({ variant: { verdicts }, run }) => verdicts[run === "then" ? 0 : 1]),
      words("losses", ({ variant, run }) => run === "then" ? "" : lossWords(variant)),
      words("does not agree", ({ variant, run }) => run === "then" ? "" : variant.disagreements.join("; "), {
        below: ({ variant, run }) => run === "then" ? null : variant.disagreements.join("; ") || null,
      }),
    ],
    rows: variants.flatMap((variant) => (["then", "now"] as const).map((run) => ({ variant, run }))),
  };
}

/** Renders two runs of an experiment side by side, followed by the disagreements. */
export function renderAgreement(
  variants: readonly VariantAgreement[],
  { first, sameSettings, ...look }: AgreementOptions,
): string {
  const page = { ...createPage(look), drop: false };
  const { paint, width } = page;
  const table = renderRows(
    page,
    agreementTable(variants),
    ({ variant, run }) =>
      run === "then" ? [] : variant.disagreements.flatMap((line) => wrap(`    does not agree: ${line}`, width, 6))
        .map((line) => paint(line, "bad")),
  );
  const differing = variants.filter(({ disagreements }) => disagreements.length > 0).map(({ name }) => name);
  const [summary, tone] = differing.length > 0
    ? [`The results do not agree with ${nameInProse(first)}: ${namesInProse(differing)}`, "bad"] as const
    : sameSettings
    ? [`The results agree with ${nameInProse(first)}`, "good"] as const
    : [`The results cannot be compared with ${nameInProse(first)}: the settings differ`, "bad"] as const;
  const last = wrap(summary, width).map((line) => paint(line, tone));
  return [...table.lines, "", ...last].join("\n") + "\n";
}

function pairText(pair: FigurePair, run: "then" | "now", format: (value: number) => string, sign = ""): string | null {
  const reading = pair[run];
  if (reading === null) return null;
  return figure(reading, format, sign) + (run === "now" ? overlap(pair) : "");
}

function figure(reading: NumberReading, format: (value: number) => string, sign: string): string {
  const { value, interval } = reading;
  if (interval !== null && interval.low === interval.high) return sign + format(value);
  return sign + format(value) + (interval === null ? "" : ` [${format(interval.low)}, ${format(interval.high)}]`);
}

function times(value: number): string {
  return value < 100 ? value.toFixed(3) : speed(value);
}

/** Formats a speed; the huge ends of an interval over few rounds are rounded to one digit. */
function speed(value: number): string {
  return value < 1e6 ? formatNumber(value) : value.toExponential(0);
}

function overlap({ now, overlap }: FigurePair): string {
  // The baseline's ratio to itself has no spread
  if (now?.interval?.low === now?.interval?.high) return "";
  return overlap === null ? "" : overlap ? " overlap" : " apart";
}

function lossWords({ losses, lossNote }: VariantAgreement): string {
  if (losses?.steps === 0) return MISSING;
  const { step, then, now } = losses?.first ?? {};
  const outcome = losses === null
    ? MISSING
    : step === undefined
    ? `identical, ${losses.steps} steps`
    : `differ at step ${step}: ${then}, ${now}`;
  return outcome + (lossNote === null ? "" : ` (${lossNote})`);
}

interface VerificationOptions extends LookOptions {
  /** Name of the first run. */
  readonly first: string;
  /** Both runs had the same adapter with the same driver. */
  readonly sameAdapter: boolean;
}

/** Returns the table of which variants reproduce the losses of an earlier run, and where the others first differ. */
export function verificationTable(checks: readonly LossCheck[]): TableSpec<LossCheck> {
  return {
    title: "Verification",
    columns: [
      words("variant", ({ name }) => name, { breakAfter: "," }),
      words("steps", ({ losses: { steps }, wanted }) => steps === wanted ? `${steps}` : `${steps} of ${wanted}`, {
        align: "right",
      }),
      words("losses", checkWords, { tone: ({ identical }) => identical ? "good" : "bad" }),
      lossColumn("then"),
      lossColumn("now"),
      words("remark", (check) => remarks(check).join("; "), { below: (check) => remarks(check).join("; ") || null }),
    ],
    rows: checks,
  };
}

/** Renders the verification, with the answer at the end. */
export function renderVerification(
  checks: readonly LossCheck[],
  { first, sameAdapter, ...look }: VerificationOptions,
): string {
  const page = { ...createPage(look), drop: false };
  const { lines } = renderRows(page, verificationTable(checks));
  const apart = checks.filter(({ identical }) => !identical).length;
  const why = sameAdapter ? "" : ": the adapter or its driver differs, so different rounding is expected";
  const [summary, tone] = apart === 0
    ? [`The losses match ${nameInProse(first)} bit for bit`, "good"] as const
    : [`The losses do not match ${nameInProse(first)}${why}`, "bad"] as const;
  const last = wrap(summary, page.width).map((line) => page.paint(line, tone));
  return [...lines, "", ...last].join("\n") + "\n";
}

function checkWords({ losses: { first }, identical }: LossCheck): string {
  return identical ? "identical" : first === null ? "not verified" : `differ from step ${first.step}`;
}

function lossColumn(run: "then" | "now"): Column<LossCheck> {
  return words(run, ({ losses: { first }, identical }) => first === null ? identical ? "" : null : String(first[run]), {
    align: "right",
  });
}

function remarks({ failed, samePlan, losses }: LossCheck): string[] {
  const plan = samePlan || losses.first === null ? null : "different kernels";
  return [failed, plan].filter((remark) => remark !== null);
}
