import type { VariantResult } from "../../result/schema.ts";
import type { LookOptions, Page } from "../page.ts";
import { formatCounted } from "../format.ts";
import { nameText } from "../plain_text.ts";

export interface DialectOptions extends LookOptions {
  /** 1 prints only phases, where the tool has that level. */
  verbosity: 0 | 1 | 2 | 3;
}

/** Lines that a tool would print for a variant, and our notes on them. */
export interface DialectText {
  lines: string[];
  notes: string[];
}

export type DialectRenderer = (variant: VariantResult, page: Page, options: DialectOptions) => DialectText;

/** Longest name in a note. */
const LONGEST_NAME = 80;

/** Returns a note that loading is a wait where workers load the data. */
export function loadingNotes({ config, pipeline }: VariantResult): string[] {
  const workers = pipeline?.numWorkers ?? config.loader?.numWorkers ?? 0;
  if (typeof workers !== "number" || workers === 0) return [];
  return [`load_dataset is the wait for a batch, loaded in the background by ${formatCounted(workers, "worker")}`];
}

/** Returns a note for each forward op that several layers were fused into. */
export function fusedNotes({ ops }: Pick<VariantResult, "ops">): string[] {
  return ops.filter(({ phase, members }) => phase === "forward" && members.length > 0).map(({ name, members }) => {
    const all = members.map((member) => nameText(member, LONGEST_NAME)).join(", ");
    return `fused: ${nameText(name, LONGEST_NAME)} computes ${all}`;
  });
}
