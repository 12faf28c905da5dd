/// <reference lib="dom" />
import type { VariantOverview } from "../../embedded.ts";
import { el } from "../dom.ts";
import { nameText } from "../names.ts";

const SIGNS = { faster: "▲", slower: "▼", same: "=", unclear: "?", invalid: "✕" } as const;

/** The verdict with its sign, and why it is so for a pointer that rests on it. Null where there is none. */
export function verdictElement(
  { verdict, comparison }: Pick<VariantOverview, "verdict" | "comparison">,
): HTMLElement | null {
  if (verdict === null) return null;
  const reason = comparison === null ? null : nameText(comparison.reason, 400);
  return el(
    "span",
    { class: `verdict ${verdict}`, title: reason },
    el("span", { "aria-hidden": "true" }, SIGNS[verdict]),
    verdict,
  );
}
