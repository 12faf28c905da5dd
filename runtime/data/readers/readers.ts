/**
 * The readers of samples. A new reader takes a file in this folder and a line in each of the two lists.
 *
 * @module
 */
import { type ImageFilesPlan, imageFilesReader } from "./image_files.ts";
import { type ModulePlan, moduleReader } from "./module.ts";
import type { ReaderDef, ReaderPlan } from "./reader.ts";
import { type RecordFilesPlan, recordFilesReader } from "./record_files.ts";
import { type SyntheticPlan, syntheticReader } from "./synthetic.ts";
import { type TensorsPlan, tensorsReader } from "./tensors.ts";
import { type TokensPlan, tokensReader } from "./tokens.ts";

export type SourcePlan = RecordFilesPlan | ImageFilesPlan | SyntheticPlan | TensorsPlan | TokensPlan | ModulePlan;

const READERS: { readonly [P in SourcePlan as P["kind"]]: ReaderDef<P> } = {
  recordFiles: recordFilesReader,
  imageFiles: imageFilesReader,
  synthetic: syntheticReader,
  tensors: tensorsReader,
  tokens: tokensReader,
  module: moduleReader,
};

/** Returns the reader of a plan. */
export function readerOf(plan: SourcePlan): ReaderDef<ReaderPlan> {
  return READERS[plan.kind];
}

/** Returns the file or module of a sample, for messages; null if it has none. */
export function whereOf(plan: SourcePlan, index: number): string | null {
  return readerOf(plan).where?.(plan, index) ?? null;
}
