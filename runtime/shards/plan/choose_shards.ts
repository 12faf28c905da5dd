import { InputError } from "../../core/errors.ts";
import { sha256 } from "../../core/sha256.ts";
import type { Result } from "../../result/schema.ts";
import type { ShardHeader } from "../store/shard_entries.ts";
import { failureOf, isComplete, readShardFile } from "../store/shard_file.ts";
import { ShardFileError } from "../store/lines.ts";
import { resultOfShard } from "./ended_shard.ts";
import { numberRanges } from "./sweep_plan.ts";

/** A shard file to merge. */
export interface ChosenShard {
  readonly path: string;
  readonly header: Omit<ShardHeader, "spec" | "environment">;
  /** Identifies the content. */
  readonly key: string;
  /** Number of steps after which every variant with losses has one; null without losses. */
  readonly steps: number | null;
  /** Complete rounds. */
  readonly rounds: number;
  /** True if the shard is complete. */
  readonly whole: boolean;
}

/** The shards to merge. */
export interface Choice {
  readonly chosen: readonly ChosenShard[];
  /** Files and shards that are not merged, one line each. */
  readonly problems: string[];
  /** Number of variants of the sweep, the baseline included. */
  readonly total: number;
}

/**
 * Chooses one finished file for each shard of the sweep that most files belong to, in the order of the shards.
 *
 * @throws {InputError} if no file holds a shard that can be merged
 */
export function chooseShards(paths: readonly string[]): Choice {
  const problems: string[] = [];
  const read = [...new Set(paths)].sort().flatMap((path) => {
    try {
      const file = readShardFile(path);
      const { spec, environment: _, ...header } = file.header;
      const result = resultOfShard(file);
      const key = sha256(JSON.stringify([header.sweep, header.shard, file.entries.at(-1)]));
      const { scenario, tacho, sha256: script } = spec;
      const rounds = file.entries.filter((entry) => entry.kind === "measured" && entry.round !== undefined).length;
      const left = spec.variants.map(({ name }) => name).filter((name) => name !== spec.baseline).join(", ");
      const whole = isComplete(file.entries);
      const steps = result === null ? null : comparedSteps(result.variants);
      const failure = failureOf(file.entries);
      const named = { scenario, tacho, script, left, failure };
      return [{ path, header, rounds, key, whole, steps, ...named, usable: result !== null }];
    } catch (error) {
      if (!(error instanceof ShardFileError)) throw error;
      problems.push(`${error.problem}: ${error.message}`);
      return [];
    }
  });
  const counts = [...Map.groupBy(read, ({ header }) => header.sweep)].map(([sweep, files]) => ({
    ...{ sweep, count: files.length, started: Math.max(...files.map(({ header }) => header.started)) },
  }));
  const main = counts.toSorted((a, b) => b.count - a.count || b.started - a.started)[0]?.sweep;
  const reference = read.find(({ header }) => header.sweep === main);
  const byShard = new Map<number, (typeof read)[number]>();
  for (const one of read) {
    const { path, header, scenario } = one;
    if (header.sweep !== main) {
      problems.push(
        scenario === reference!.scenario
          ? `outdated: ${path} is of another sweep: ${differenceOf(one, reference!)}`
          : `foreign: ${path} is of the scenario ${scenario}, not ${reference!.scenario}`,
      );
      continue;
    }
    if (!one.usable) {
      problems.push(
        `unfinished: ${path} has no complete round${one.failure === null ? "" : ` (${one.failure})`}; run shard ` +
          `${header.shard}/${header.of} again; left out: ${one.left}`,
      );
      continue;
    }
    const other = byShard.get(header.shard);
    if (other === undefined) byShard.set(header.shard, one);
    else {
      const [kept, left] = isBetter(one, other) ? [one, other] : [other, one];
      byShard.set(header.shard, kept);
      problems.push(
        `doubled: shard ${header.shard}/${header.of} is in ${kept.path} and in ${left.path}; used the former`,
      );
    }
  }
  const chosen = [...byShard.values()].sort((a, b) => a.header.shard - b.header.shard);
  if (chosen.length === 0) {
    throw new InputError(
      ["No shard to merge; expected files such as NAME-1-of-4.tacho.jsonl", ...problems].join("\n  "),
    );
  }
  for (const { path, header, whole, rounds, failure } of chosen) {
    if (whole) continue;
    problems.push(
      `incomplete: ${path} has ${rounds} of ${header.rounds} rounds${
        failure === null ? "" : ` (${failure})`
      }; run shard ` +
        `${header.shard}/${header.of} again to continue it`,
    );
  }
  const { of, total } = chosen[0]!.header;
  const seen = new Set(read.filter(({ header }) => header.sweep === main).map(({ header }) => header.shard));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((shard) => !seen.has(shard));
  if (missing.length > 0) problems.push(`missing: shard ${numberRanges(missing)} of ${of}`);
  return { chosen, problems, total };
}

/** Facts that name the difference between two sweeps. */
interface SweepFacts {
  readonly header: Pick<ShardHeader, "of" | "replicate">;
  readonly tacho: string;
  readonly script: string | null;
}

/** Returns the difference between the sweep of a file and the one that is merged. */
function differenceOf(one: SweepFacts, merged: SweepFacts): string {
  const differences = [
    one.tacho === merged.tacho ? [] : `Tacho ${one.tacho}, not ${merged.tacho}`,
    one.script === merged.script ? [] : "another version of the script",
    one.header.of === merged.header.of ? [] : `${one.header.of} shards, not ${merged.header.of}`,
    one.header.replicate === merged.header.replicate
      ? []
      : `--replicate ${one.header.replicate}, not ${merged.header.replicate}`,
  ].flat();
  return differences.length === 0 ? "other settings or variants" : differences.join("; ");
}

/** Orders complete files first, then those with more rounds, then earlier ones; the content decides between equals. */
function isBetter(a: ChosenShard, b: ChosenShard): boolean {
  if (a.whole !== b.whole) return a.whole;
  if (a.rounds !== b.rounds) return a.rounds > b.rounds;
  return a.header.started !== b.header.started ? a.header.started < b.header.started : a.key < b.key;
}

/** Returns the number of steps after which the shard compares final losses; null without losses. */
function comparedSteps(variants: Result["variants"]): number | null {
  const steps = variants.flatMap(({ finalLoss }) => finalLoss === null ? [] : [finalLoss.step + 1]);
  return steps.length === 0 ? null : Math.min(...steps);
}
