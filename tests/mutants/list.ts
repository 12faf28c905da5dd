/**
 * The list of mutants: small faults, each as a text and its replacement, so that the list outlives changes around them.
 *
 * @module
 */
import { join } from "node:path";
import type { RandomStream } from "../../runtime/core/random.ts";
import type { Imports } from "../support/imports.ts";
import { type Candidate, candidatesOf, edited, OPERATOR_NAMES } from "./operators.ts";

/** One fault. */
export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly operator: string;
  /** Whole lines that occur once in the file, and what replaces them. */
  readonly from: string;
  readonly to: string;
  /** Reason why no test can fail; absent for most. */
  readonly withoutEffect?: string;
}

/** Lines that tests have run, by file. */
export type Covered = ReadonlyMap<string, ReadonlySet<number>>;

/** Largest number of mutants of one file. */
const MAX_PER_FILE = 2;

/** Returns the folder that a file counts for: a folder of `runtime`, `ops` or `ops/kernels`. */
export function folderOf(file: string): string {
  const parts = file.split("/").slice(0, -1);
  return parts.slice(0, parts[0] === "runtime" || parts[1] === "kernels" ? 2 : 1).join("/");
}

/**
 * Draws files for mutants, spread over all folders: each folder has the same number, as far as it has files.
 *
 * @param files files of product code
 */
export function drawFiles(files: readonly string[], count: number, random: RandomStream): string[] {
  const byFolder = Map.groupBy(shuffled(files, random), folderOf);
  const drawn: string[] = [];
  for (let round = 0; drawn.length < Math.min(count, files.length); round++) {
    for (const some of byFolder.values()) {
      if (some[round] !== undefined && drawn.length < count) drawn.push(some[round]!);
    }
  }
  return drawn;
}

/** Draws mutants of covered lines in some files; each operator is as likely as the others where it applies. */
export function drawMutants(
  root: string,
  files: readonly string[],
  covered: Covered,
  count: number,
  random: RandomStream,
): Mutant[] {
  const mutants: Mutant[] = [];
  const used = new Map(OPERATOR_NAMES.map((name) => [name, 0]));
  for (let round = 0; round < MAX_PER_FILE; round++) {
    for (const file of files) {
      if (mutants.length === count) return mutants;
      const source = Deno.readTextFileSync(join(root, file));
      const others = mutants.filter((mutant) => mutant.file === file);
      const candidates = shuffled(candidatesOf(source).filter(({ line }) => covered.get(file)?.has(line)), random)
        .toSorted((a, b) => used.get(a.operator)! - used.get(b.operator)!);
      const texts = candidates.map((candidate) => ({ candidate, ...linesAround(source, candidate) }));
      // All mutants can be made at once
      const one = texts.find(({ from, to }) => {
        const changed = others.reduce<string | null>((text, other) => text && mutated(text, other), source);
        return changed !== null && mutated(changed, { from, to }) !== null;
      });
      if (one === undefined) continue;
      const { candidate: { operator }, from, to } = one;
      used.set(operator, used.get(operator)! + 1);
      mutants.push({ id: mutants.length + 1, file, operator, from, to });
    }
  }
  return mutants;
}

/** Applies a mutant to the text of its file; null if the text is not there once. */
export function mutated(source: string, { from, to }: Pick<Mutant, "from" | "to">): string | null {
  const at = source.indexOf(from);
  return at < 0 || source.indexOf(from, at + 1) >= 0 ? null : source.slice(0, at) + to + source.slice(at + from.length);
}

/** Returns the whole lines of an edit, with as many lines around as make them unique, and what they become. */
function linesAround(source: string, edit: Candidate): { from: string; to: string } {
  let start = source.lastIndexOf("\n", edit.start - 1) + 1;
  let end = source.indexOf("\n", edit.end);
  if (end < 0) end = source.length;
  while (source.indexOf(source.slice(start, end)) !== source.lastIndexOf(source.slice(start, end))) {
    start = source.lastIndexOf("\n", start - 2) + 1;
    const next = source.indexOf("\n", end + 1);
    end = next < 0 ? source.length : next;
  }
  const from = source.slice(start, end);
  return { from, to: edited(from, { ...edit, start: edit.start - start, end: edit.end - start }) };
}

/**
 * Sorts test files by their distance to a file: imports between them, then common folders. Tests that start processes import
 * little, so a common folder brings them forward.
 */
export function nearestTests(file: string, tests: readonly string[], imports: Imports): string[] {
  const importers = new Map<string, string[]>();
  for (const [from, targets] of imports) {
    for (const { file: to } of targets) importers.set(to, [...importers.get(to) ?? [], from]);
  }
  const distance = new Map([[file, 0]]);
  for (let edge = [file], steps = 1; edge.length > 0; steps++) {
    edge = [...new Set(edge.flatMap((one) => importers.get(one) ?? []))].filter((one) => !distance.has(one));
    for (const one of edge) distance.set(one, steps);
  }
  const score = (test: string) => (distance.get(test) ?? 12) - 2 * commonFolders(file, test);
  return tests.map((test) => ({ test, score: score(test) })).toSorted((a, b) => a.score - b.score).map(({ test }) =>
    test
  );
}

/** Returns the number of folders that a file of product code and a test have in common, and 1 more for the same name. */
function commonFolders(file: string, test: string): number {
  const [a, b] = [file.replace(/^runtime\//, "").split("/"), test.replace(/^tests\//, "").split("/")];
  const differ = a.findIndex((part, i) => part !== b[i]);
  return differ + (b.at(-1) === a.at(-1)!.replace(/\.ts$/, "_test.ts") ? 1 : 0);
}

function shuffled<T>(list: readonly T[], random: RandomStream): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
