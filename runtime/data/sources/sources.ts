/**
 * The data sources, and operations on any of them. Factories return plain records, whose fields the command line can set.
 *
 * @module
 */
import { z } from "zod";
import type { DataPackage } from "../data_package.ts";
import { alternatives, kindOf, schemasOf } from "../kinds.ts";
import { cifar10Source } from "./cifar10.ts";
import { cifar100Source } from "./cifar100.ts";
import { idxSource } from "./idx.ts";
import { imageFolderSource } from "./image_folder.ts";
import { moduleSource } from "./module.ts";
import { npzSource } from "./npz.ts";
import type { PrepareOptions, SourceDef } from "./source_def.ts";
import { syntheticImagesSource } from "./synthetic_images.ts";
import { tensorsSource } from "./tensors.ts";
import { textSource } from "./text.ts";
import { tokensSource } from "./tokens.ts";
import type { DataSpec } from "./types.ts";

export type { DataSpec } from "./types.ts";

const SOURCES = [
  cifar10Source,
  cifar100Source,
  idxSource,
  imageFolderSource,
  syntheticImagesSource,
  tensorsSource,
  npzSource,
  textSource,
  tokensSource,
  moduleSource,
] as const;

/** Schema of any data source, discriminated by `kind`. */
export const dataSchema = z.discriminatedUnion("kind", schemasOf(SOURCES), {
  error: `expected a data set: ${alternatives(SOURCES.map((source) => source.factory ?? `${kindOf(source)}()`))}`,
});

/** Returns the definition of a record's source. */
export function sourceOf({ kind }: DataSpec): SourceDef {
  return sourceOfKind(kind)!;
}

/** Returns the definition of a kind of source; undefined for an unknown kind, as in records of other versions. */
function sourceOfKind(kind: unknown): SourceDef | undefined {
  return SOURCES.find((source) => kindOf(source) === kind) as SourceDef | undefined;
}

/**
 * Loads code that data sets need to be described, such as a tokenizer.
 *
 * @throws {InputError} if it cannot be loaded
 */
export async function loadDatasets(specs: readonly DataSpec[]): Promise<void> {
  for (const spec of specs) await sourceOf(spec).load?.(spec);
}

/**
 * Prepares a data set once, before it is read. Draws the stand-in for CIFAR-10, for example.
 *
 * @throws {InputError} if a file cannot be written
 * @throws {InterruptedError} if the signal is aborted
 */
export async function prepareDataset(spec: DataSpec, options: PrepareOptions = {}): Promise<void> {
  await sourceOf(spec).prepare?.(spec, options);
}

/** Lists the files and folders in a record, which may be from another version. */
export function filesOf(record: unknown): string[] {
  return named(record, "files");
}

/** Lists the user's modules in a record, which may be from another version. */
export function modulesOf(record: unknown): string[] {
  return named(record, "modules");
}

/** Lists the packages that make samples of the files of a record, which may be from another version. */
export function packagesOf(record: unknown): readonly DataPackage[] {
  if (typeof record !== "object" || record === null) return [];
  return sourceOfKind((record as { readonly kind?: unknown }).kind)?.packages?.(record) ?? [];
}

function named(record: unknown, what: "files" | "modules"): string[] {
  if (typeof record !== "object" || record === null) return [];
  const names = sourceOfKind((record as { readonly kind?: unknown }).kind)?.[what]?.(record) ?? [];
  return names.filter((name) => typeof name === "string");
}
