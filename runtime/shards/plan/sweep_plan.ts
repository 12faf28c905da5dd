/**
 * Plan of a sweep: which shard runs which variants. The first shard to start writes it beside the shard files, so that
 * all use the same plan even if their machines have kept different earlier runs.
 *
 * @module
 */
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { readTextIfAny, writeFile } from "../../core/files.ts";
import { sha256 } from "../../core/sha256.ts";
import { reasonOf } from "../../core/shown.ts";
import type { Result } from "../../result/schema.ts";
import type { ResolvedScenario } from "../../scenario/resolve.ts";
import type { RunSpec } from "../../store/run_spec.ts";
import { assignShards, type Division, type ShardPart } from "./assign.ts";
import { expectedCosts } from "./costs.ts";
import type { ShardPlace } from "../store/shard_run.ts";

/** Arms that every shard runs: the baseline and its control arm. */
const FIXED_ARMS = 2;

/** Maximum time that another process takes to write a plan, and the pause between two looks. */
const WRITING_MS = 3000;
const PAUSE_MS = 50;

const planSchema = z.strictObject({
  format: z.literal(1),
  /** Hash of the sweep. */
  sweep: z.string(),
  shards: z.array(z.strictObject({ variants: z.array(z.string()), cost: z.number() })).min(1),
});

/** Assignment of variants to shards. */
export interface SweepPlan {
  readonly sweep: string;
  readonly shards: readonly ShardPart[];
}

/** Sweep to plan. */
export interface Sweep extends Division {
  readonly scenario: ResolvedScenario;
  readonly spec: RunSpec;
  /** Returns results of earlier runs, the latest first. Called only if there is no plan yet. */
  readonly earlier: () => Iterable<Result>;
}

/** Returns the hash of a sweep, which all its shards share. */
function sweepHash(spec: RunSpec, { shards, replicate }: Division): string {
  return sha256(JSON.stringify([spec, shards, replicate]));
}

/** Returns the name of the file with a sweep's plan. */
export function planFileName(scenario: string, shards: number): string {
  return `${scenario}-of-${shards}.tacho.plan.json`;
}

/**
 * Plans a sweep, or reads its plan from `folder`.
 *
 * @param write keep a new plan in `folder`, which must exist
 * @throws {InputError} if the variants cannot be divided so, or the plan in `folder` is of another sweep
 */
export async function planSweep(sweep: Sweep, folder: string, write: boolean): Promise<SweepPlan> {
  const { scenario, spec, shards, replicate, earlier } = sweep;
  const hash = sweepHash(spec, sweep);
  const path = join(folder, planFileName(scenario.name, shards));
  const kept = await readPlan(path, hash);
  if (kept !== null) return kept;
  const costs = scenario.variants.length * replicate > shards ? await expectedCosts(scenario, earlier()) : [];
  const costed = scenario.variants.map(({ name }, i) => ({ name, cost: costs[i] ?? 1 }));
  const baseline = costed.find(({ name }) => name === scenario.baseline)!;
  const others = costed.filter((variant) => variant !== baseline);
  const fixed = baseline.cost * (scenario.measure.aa ? FIXED_ARMS : 1);
  const plan = { sweep: hash, shards: assignShards(others, fixed, { shards, replicate }) };
  if (!write) return plan;
  return writePlan(path, plan) ? plan : await readPlan(path, hash) ?? plan;
}

/** @throws {InputError} if the plan in `folder` is of another sweep, or damaged */
export async function checkPlan(sweep: Omit<Sweep, "earlier">, folder: string): Promise<void> {
  const { scenario, spec, shards } = sweep;
  await readPlan(join(folder, planFileName(scenario.name, shards)), sweepHash(spec, sweep));
}

/** Reads a plan; null if there is none. Waits a moment for one that another process is writing. */
async function readPlan(path: string, sweep: string): Promise<SweepPlan | null> {
  for (const end = Date.now() + WRITING_MS;;) {
    const text = readTextIfAny(path);
    if (text === null) return null;
    const plan = parsePlan(text);
    if (plan?.sweep === sweep) return plan;
    if (plan !== null) {
      throw new InputError(
        `${path} is the plan of a sweep with other settings, script or version of Tacho; move it and its shard files ` +
          "away, or choose another folder with --shard-dir, or with --name of tacho submit",
      );
    }
    if (text.endsWith("\n") || Date.now() > end) {
      throw new InputError(`${path} is damaged; remove it, and the plan is made again`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function parsePlan(text: string): SweepPlan | null {
  try {
    const parsed = planSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Writes a plan in one piece. Returns false if another process wrote one first. */
function writePlan(path: string, plan: SweepPlan): boolean {
  const own = `${path}.${crypto.randomUUID()}`;
  const text = `${JSON.stringify({ format: 1, ...plan })}\n`;
  try {
    writeFile(own, text);
    nameNew(own, path, text);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw new InputError(`${path} cannot be written (${reasonOf(error)})`, { cause: error });
  } finally {
    remove(own);
  }
}

/** Gives a file a name that must be free. File systems without hard links get a copy, whose end readers wait for. */
function nameNew(own: string, path: string, text: string): void {
  try {
    Deno.linkSync(own, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    copyNew(path, text);
  }
}

function copyNew(path: string, text: string): void {
  try {
    writeFile(path, text, { write: true, createNew: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) remove(path);
    throw error;
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // it was not written
  }
}

/** A shard's part of a scenario. */
export interface ShardScenario {
  readonly scenario: ResolvedScenario;
  readonly place: ShardPlace;
}

/**
 * Returns the part of a scenario that a shard runs: its variants and the baseline.
 *
 * @param shard number of the shard, from 1
 */
export function selectShard(
  scenario: ResolvedScenario,
  { sweep, shards }: SweepPlan,
  { shard, replicate }: { readonly shard: number } & Pick<Division, "replicate">,
): ShardScenario {
  const names = new Set([scenario.baseline, ...shards[shard - 1]!.variants]);
  const positions = scenario.variants.flatMap(({ name }, i) => names.has(name) ? [i] : []);
  return {
    scenario: { ...scenario, variants: positions.map((i) => scenario.variants[i]!) },
    place: {
      shard,
      of: shards.length,
      replicate,
      sweep,
      total: scenario.variants.length,
      positions,
      rounds: scenario.epochs ?? scenario.measure.rounds,
    },
  };
}

/** Lists ascending numbers with runs of three or more as ranges, such as `1, 3-7, 9`. */
export function numberRanges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length;) {
    let end = i;
    while (numbers[end + 1] === numbers[end]! + 1) end++;
    if (end - i >= 2) parts.push(`${numbers[i]}-${numbers[end]}`);
    else parts.push(...numbers.slice(i, end + 1).map(String));
    i = end + 1;
  }
  return parts.join(", ");
}
