/**
 * Results of shards that ended without one: they were killed, lost their node, or still run. Their complete rounds count.
 *
 * @module
 */
import { basename } from "node:path";
import type { Statistic } from "../../core/percentile.ts";
import { type Environment, type Result, SCHEMA_VERSION, type VariantResult } from "../../result/schema.ts";
import type { VariantConfig } from "../../result/config.ts";
import { unmeasuredVariant } from "../../result/unmeasured.ts";
import type { KeptRound } from "../../store/run_recorder.ts";
import { type ShardFile, shardResult } from "../store/shard_file.ts";
import { ShardRecorder } from "../store/shard_recorder.ts";
import { compareVariants, type ComparisonTerms } from "../../experiment/compare_variants.ts";
import { toleranceOfSettings } from "../../experiment/tolerance.ts";

/** Settings of a measurement that a result without one takes from the settings of the baseline. */
interface Measure {
  readonly minEffect?: number;
  readonly precision?: number | null;
  readonly maxTime?: number | null;
  readonly tolerance?: number | null;
  readonly statistic?: Statistic;
}

/** Returns the result of a shard, or one of its complete rounds if it ended without a result; null without a round. */
export function resultOfShard(file: ShardFile): Result | null {
  return shardResult(file) ?? resultOfRounds(file);
}

function resultOfRounds({ header, entries }: ShardFile): Result | null {
  const recorder = new ShardRecorder(entries, null, () => {});
  const { rounds, failures, warmUps, resumed } = recorder;
  if (rounds.length === 0) return null;
  const { spec, environment: { adapter: _, ...machine } } = header;
  const reference = spec.variants.find(({ name }) => name === spec.baseline)!;
  const measure = (reference.config.measure ?? {}) as Measure;
  const variants = spec.variants.map(({ name, config }): VariantResult => {
    const failure = failures.find(({ arm }) => arm === name);
    return {
      ...unmeasuredVariant(name, config),
      status: failure === undefined ? "interrupted" : "failed",
      error: failure === undefined ? null : { message: failure.message, exitStatus: failure.exitStatus },
      blocks: blocksOf(rounds, name),
      losses: [...recorder.losses(name)],
    };
  });
  const names = new Set(spec.variants.map(({ name }) => name));
  const control = rounds.flatMap(({ order }) => order).find((name) => !names.has(name)) ?? null;
  const controlBlocks = control === null ? null : blocksOf(rounds, control);
  const terms = termsOf(spec, reference.config, measure);
  const { effects: _effects, front: _front, ...compared } = compareVariants(
    terms,
    variants,
    rounds.length,
    controlBlocks,
  );
  const environment: Environment = {
    ...machine,
    adapter: entries.findLast((entry) => entry.kind === "adapter")?.adapter ?? null,
  };
  return {
    schemaVersion: SCHEMA_VERSION,
    environment,
    scenario: {
      name: spec.scenario,
      file: header.script === null ? null : basename(header.script),
      sha256: spec.sha256,
      seed: spec.seed,
      params: {},
      adapted: null,
    },
    baseline: spec.baseline,
    variants: compared.variants,
    noiseFloor: compared.noiseFloor,
    procedure: {
      planned: header.rounds,
      rounds: rounds.length,
      stoppedBy: "interrupted",
      precision: measure.precision ?? null,
      maxTime: measure.maxTime ?? null,
      minEffect: measure.minEffect ?? 0,
      ...measure.statistic === undefined || measure.statistic === "mean" ? {} : { statistic: measure.statistic },
      setups: {
        count: 1 + Math.max(0, ...rounds.flatMap(({ blocks }) => blocks.map(({ block }) => block.setup ?? 0))),
        time: null,
        share: null,
      },
      order: rounds.map(({ order }) => order),
      secondArm: control === null ? null : { name: control, blocks: controlBlocks!, comparison: compared.controlArm },
      warnings: [],
      probe: rounds.flatMap(({ round, probe }) => probe === null ? [] : [{ round, time: probe }]),
      probeTrend: null,
      warmUp: warmUps.map(({ arm, steps, steady }) => ({ arm, steps, steady })),
      resumed,
    },
    effects: [],
    front: null,
    ladder: null,
    roofline: null,
  };
}

function blocksOf(rounds: readonly KeptRound[], arm: string): VariantResult["blocks"] {
  return rounds.flatMap(({ blocks }) => blocks.filter((one) => one.arm === arm).map(({ block }) => block));
}

function termsOf(
  { scenario, seed, baseline, variants }: ShardFile["header"]["spec"],
  reference: VariantConfig,
  measure: Measure,
): ComparisonTerms {
  const configs = new Map(variants.map(({ name, config }) => [name, config]));
  return {
    ...{ name: scenario, params: {}, seed, baseline, epochs: reference.epochs ?? null },
    measure: measure as ComparisonTerms["measure"],
    memoryBudget: null,
    aliases: [],
    adapted: null,
    variants: variants.map(({ name }) => ({ name, settings: {} })),
    tolerance: (name) => toleranceOfSettings(configs.get(name)!, reference, measure.tolerance ?? null),
  };
}
