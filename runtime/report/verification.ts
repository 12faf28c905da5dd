import type { LossCheck } from "../analysis/agreement/verify_losses.ts";
import { createPage, type LookOptions, renderRows } from "./page.ts";
import { nameInProse } from "./plain_text.ts";
import { type Column, type TableSpec, words } from "./spec.ts";
import { wrap } from "./wrap.ts";

export interface VerificationOptions extends LookOptions {
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
      words("losses", lossWords, { tone: ({ identical }) => identical ? "good" : "bad" }),
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

function lossWords({ losses: { first }, identical }: LossCheck): string {
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
