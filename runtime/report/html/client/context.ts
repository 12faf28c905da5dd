/// <reference lib="dom" />
import type { VariantResult } from "../../../result/schema.ts";
import type { Overview } from "../embedded.ts";
import { el } from "./dom.ts";
import { nameText } from "./names.ts";
import { type Anchors, hrefOf } from "./route.ts";

/** What sections that concern one variant are made from. */
export interface VariantContext {
  readonly overview: Overview;
  readonly variant: VariantResult;
  /** Place among the variants. */
  readonly index: number;
  /** Where sections and rows of this variant are found, and where those that concern all variants are. */
  readonly anchors: Anchors;
  readonly shared: Anchors;
}

/** Why device times may be missing; null where they can be had. */
export function untimed({ environment: { adapter } }: Overview): string | null {
  if (adapter === null) return "no device was opened";
  return adapter.features.includes("timestamp-query") ? null : "the adapter has no timestamp queries";
}

/** Why a variant has no measured steps, or null where it has some. */
export function notRun({ status, error }: Pick<VariantResult, "status" | "error">, blocks: number): string | null {
  if (blocks > 0) return null;
  if (status === "failed") return `the variant failed: ${nameText(error?.message ?? "", 400)}`;
  return status === "interrupted" ? "interrupted before a block was measured" : "no block was measured";
}

/** Why nothing was profiled, or null where something was. */
export function notProfiled({ parameters, profile, status }: VariantResult): string | null {
  if (profile !== null) return null;
  if (parameters === null) return "no model, the loader alone was measured";
  return status === "ok" ? "no steps were profiled (--verbosity 2)" : "the variant ended before its profiled steps";
}

/** Why no kernels were chosen by timing them, or null where some were. */
export function notTuned({ autotune, config }: Pick<VariantResult, "autotune" | "config">): string | null {
  if (autotune !== null) return null;
  const { model, compile } = config;
  if ((compile?.autotune ?? null) === null) return "off (compile.autotune)";
  return model === null ? "no model, there is nothing to tune" : "the variant ended before its kernels were chosen";
}

/** A link to a place of a variant. */
export function variantLink(variant: string, anchor: string, text: string): HTMLElement {
  return el("a", { href: hrefOf({ variant, anchor }) }, text);
}
