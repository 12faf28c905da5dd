import type { VariantResult } from "../result/schema.ts";
import { formatInterval, formatRatio, MISSING } from "./format.ts";
import { nameInProse } from "./plain_text.ts";

type Judged = Pick<VariantResult, "name" | "verdict" | "comparison" | "metrics">;

/** The answer of a run in one sentence. */
export interface Headline {
  /** Variant that the sentence begins with; null where it names none first. */
  readonly variant: string | null;
  /** The sentence, or what follows the variant's name. */
  readonly text: string;
}

/** Names the fastest variant, as far as that is sure; null where there is nothing to compare. */
export function headlineOf(
  { variants, baseline }: { readonly variants: readonly Judged[]; readonly baseline: string },
): Headline | null {
  const others = variants.filter(({ name }) => name !== baseline);
  if (others.length === 0) return null;
  const faster = others.filter(({ verdict }) => verdict === "faster").toSorted((a, b) => speedup(b) - speedup(a));
  const [best] = faster;
  if (best !== undefined) {
    const { low = null, high = null } = best.comparison?.speedup ?? {};
    const interval = low === null || high === null ? "" : ` (${formatInterval(low, high)})`;
    const also = faster.length === 1 ? "" : `; ${faster.length - 1} more faster than the baseline`;
    const text = ` is ${formatRatio(speedup(best))}${interval} as fast as ${nameInProse(baseline)}${also}.`;
    return { variant: best.name, text };
  }
  const isJudged = others.some(({ verdict }) => verdict !== null);
  return {
    variant: null,
    text: isJudged
      ? `No variant is clearly faster than ${nameInProse(baseline)}.`
      : `${MISSING} no verdict: this run did not compare its blocks.`,
  };
}

/** The headline as a sentence of its own. */
export function headlineText({ variant, text }: Headline): string {
  return variant === null ? text : nameInProse(variant) + text;
}

function speedup({ comparison, metrics }: Judged): number {
  return comparison?.speedup.value ?? metrics.speedup?.value ?? 0;
}
