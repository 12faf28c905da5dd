import type { VariantResult } from "../result/schema.ts";
import { formatCounted, formatInterval, formatRatio, MISSING } from "./format.ts";
import { nameInProse } from "./plain_text.ts";

type Judged = Pick<VariantResult, "name" | "verdict" | "comparison" | "metrics">;

/** Result of a run in one sentence. */
export interface Headline {
  /** Variant at the start of the sentence; null where there is none. */
  readonly variant: string | null;
  /** The sentence, or what follows the variant's name. */
  readonly text: string;
}

/** Names the fastest variant if a verdict supports it; null where there is nothing to compare. */
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
    const more = faster.length - 1;
    const also = more === 0 ? "" : `; ${formatCounted(more, "more variant")} ${more === 1 ? "is" : "are"} faster`;
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

/** Returns the headline as a whole sentence. */
export function headlineText({ variant, text }: Headline): string {
  return variant === null ? text : nameInProse(variant) + text;
}

function speedup({ comparison, metrics }: Judged): number {
  return comparison?.speedup.value ?? metrics.speedup?.value ?? 0;
}
