/// <reference lib="dom" />
import type { VariantResult } from "../../../result/schema.ts";
import { isMerged } from "../../matrix/column.ts";
import { noModelReason } from "../../own_loop.ts";
import type { Overview } from "../embedded.ts";
import { el } from "./dom.ts";
import { nameText } from "./names.ts";
import { type Anchors, hrefOf } from "./route.ts";

/** Place of what a merged run does not keep. */
export const IN_SHARDS = "in the shard files";

/** Reason why a merged run compares only each variant with the baseline. */
export const ON_NODES = "the variants ran on different nodes";

/** Input of the sections of one variant. */
export interface VariantContext {
  readonly overview: Overview;
  readonly variant: VariantResult;
  /** Index of the variant. */
  readonly index: number;
  /** Anchors of this variant's sections and rows, and of those of all variants. */
  readonly anchors: Anchors;
  readonly shared: Anchors;
}

/** Returns why device times are missing; null where they are available. */
export function untimed({ environment: { adapter } }: Overview): string | null {
  if (adapter === null) return "no device was used";
  return adapter.features.includes("timestamp-query") ? null : "the adapter has no timestamp queries";
}

/** Returns why a variant has no measured steps; null where it has some. */
export function notRun(
  { overview, variant: { status, error } }: Pick<VariantContext, "overview" | "variant">,
  blocks: number,
): string | null {
  if (blocks > 0) return null;
  if (isMerged(overview) && status !== "failed") return IN_SHARDS;
  if (status === "failed") return `the variant failed: ${nameText(error?.message ?? "", 400)}`;
  return status === "interrupted" ? "interrupted before any block was measured" : "no block was measured";
}

/** Returns why nothing was profiled; null where something was. */
export function notProfiled({ parameters, profile, status, config }: VariantResult): string | null {
  if (profile !== null) return null;
  if (parameters === null) return noModelReason(config);
  return status === "ok" ? "no steps were profiled (--verbosity 2)" : "the variant ended before its profiled steps";
}

/** Returns why no kernels were tuned; null where some were. */
export function notTuned({ autotune, config }: Pick<VariantResult, "autotune" | "config">): string | null {
  if (autotune !== null) return null;
  const { model, compile } = config;
  if ((compile?.autotune ?? null) === null) return "off (compile.autotune)";
  return model === null ? "no model, so nothing to tune" : "the variant ended before its kernels were tuned";
}

/** Returns a link to an anchor of a variant. */
export function variantLink(variant: string, anchor: string, text: string): HTMLElement {
  return el("a", { href: hrefOf({ variant, anchor }) }, text);
}
