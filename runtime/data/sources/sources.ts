/**
 * The data sources, and what is asked of whichever a scenario names. Factories return plain records, which the command
 * line can reach into.
 *
 * @module
 */
import { z } from "zod";
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

const SOURCES = [
  cifar10Source,
  cifar100Source,
  idxSource,
  imageFolderSource,
  syntheticImagesSource,
  tensorsSource,
  npzSource,
  moduleSource,
] as const;

/** Any data source, told apart by `kind`. */
export const dataSchema = z.discriminatedUnion("kind", schemasOf(SOURCES), {
  error: `expected a data set: ${alternatives(SOURCES.map(({ factory }) => factory))}`,
});

/** The record of a data source. */
export type DataSpec = z.infer<typeof dataSchema>;

/** The definition of a record's source. */
export function sourceOf({ kind }: DataSpec): SourceDef {
  return sourceOfKind(kind)!;
}

/** The definition of a kind of source; undefined where there is none, as in a record of another version. */
export function sourceOfKind(kind: unknown): SourceDef | undefined {
  return SOURCES.find((source) => kindOf(source) === kind) as SourceDef | undefined;
}

/**
 * Does what a data set needs once before it is read, such as drawing the stand-in for CIFAR-10.
 *
 * @throws {InputError} if a file cannot be written
 * @throws {InterruptedError} if the signal says so
 */
export async function prepareDataset(spec: DataSpec, options: PrepareOptions = {}): Promise<void> {
  await sourceOf(spec).prepare?.(spec, options);
}

/** Files and folders that a record names, which may be of another version. */
export function filesOf(record: unknown): string[] {
  return named(record, "files");
}

/** Modules of the user's that a record names, which may be of another version. */
export function modulesOf(record: unknown): string[] {
  return named(record, "modules");
}

function named(record: unknown, what: "files" | "modules"): string[] {
  if (typeof record !== "object" || record === null) return [];
  const names = sourceOfKind((record as { readonly kind?: unknown }).kind)?.[what]?.(record) ?? [];
  return names.filter((name) => typeof name === "string");
}
