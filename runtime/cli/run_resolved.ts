import { launcherOf } from "../cluster/launcher.ts";
import { ExitStatus, InputError } from "../core/errors.ts";
import { isIsaGate } from "../analysis/gates/gate_metrics.ts";
import { plannedResult } from "../analysis/gates/planned_result.ts";
import { describedArms } from "../experiment/programs/described_arms.ts";
import { isDistributed } from "../experiment/distributed/ranks.ts";
import type { Gates } from "../library/read_gates.ts";
import { scriptFile } from "../library/script.ts";
import { adaptedText } from "../report/adapted.ts";
import type { SweepPlan } from "../shards/plan/sweep_plan.ts";
import { createPaint } from "../report/color.ts";
import { renderDryRun, renderShards } from "../report/dry_run.ts";
import { nameInProse } from "../report/plain_text.ts";
import { renderVariants } from "../report/differences.ts";
import { wrap } from "../report/wrap.ts";
import type { Emit } from "../result/run_event.ts";
import type { Result } from "../result/schema.ts";
import type { Scenario } from "../scenario/definition.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Experiment } from "./on_ranks.ts";
import type { Flags } from "./flags.ts";
import { gatesOfRun, judge } from "./gates.ts";
import { stdoutIsData, writeJson } from "./json_output.ts";
import { lookOfStdout, writeError, writeOut } from "./terminal.ts";
import { renderFit } from "../report/fit.ts";

/**
 * Runs a checked scenario as the flags say, or only describes it, and returns the exit status. Commands that end sooner,
 * such as `--help`, do without this module, and only a run loads `perform.ts`.
 */
export async function runResolved(
  scenario: ResolvedScenario,
  flags: Flags,
  { definition, args, load, emit, follows }: {
    definition: Scenario;
    args: readonly string[];
    load: () => Promise<Experiment>;
    emit: Emit;
    follows: boolean;
  },
): Promise<number> {
  const gates = await gatesOfRun(flags, scenario);
  const tuned = flags.tune === true ? (await import("./tune.ts")).variantToTune(scenario, flags) : null;
  if (follows && (flags.list || flags.fit || flags.dryRun)) return ExitStatus.ok;
  const divided = [flags.shard, flags.replicate, flags.shardDir].some((flag) => flag !== undefined);
  if (flags.list) {
    if (divided) await (await import("./shard.ts")).checkShard(scenario, flags);
    return list(scenario, flags);
  }
  if (flags.fit) {
    return await printFit(scenario, flags);
  }
  if (flags.report !== undefined && !flags.dryRun && !follows) {
    const { checkFolder } = await import("../library/report_folder.ts");
    await checkFolder(flags.report, "--report");
  }
  const shard = divided ? await (await import("./shard.ts")).shardOf(scenario, flags) : null;
  if (flags.dryRun) return await printDryRun(scenario, flags, gates, await load(), shard?.plan ?? null);
  const { perform } = await import("./perform.ts");
  const run = { args, gates, load, emit };
  if (isDistributed(scenario)) {
    if (tuned !== null) throw new InputError("--tune: cannot be combined with distribute; set distribute to false");
    const { followRank0, tellRanks } = await import("./on_ranks.ts");
    const { joinCluster } = await import("../cluster/cluster.ts");
    const cluster = await joinCluster();
    if (cluster !== null && cluster.rank > 0) return await followRank0(cluster, scenario, flags, load);
    try {
      return await perform(scenario, flags, { ...run, cluster });
    } catch (error) {
      await tellRanks(cluster, error);
      throw error;
    }
  }
  if (shard !== null) return await perform(shard.scenario, flags, { ...run, shard: shard.keeping });
  if (tuned !== null) return await perform(aloneIn(scenario, tuned), flags, { ...run, tuned: definition });
  return await perform(scenario, flags, run);
}

function list(scenario: ResolvedScenario, flags: Flags): number {
  const { aliases, baseline, adapted } = scenario;
  const { columns, color } = lookOfStdout(flags.color);
  const lines = renderVariants(describedArms(scenario), baseline, {
    width: columns ?? Infinity,
    paint: createPaint(color),
  });
  const same = aliases.map(({ name, of }) => `${nameInProse(name)}: set up exactly as ${nameInProse(of)}; runs once`);
  const chosen = adaptedText(adapted as Result["scenario"]["adapted"], true);
  const about = chosen === null ? [] : wrap(chosen, columns ?? Infinity);
  writeOut(`${[...lines, ...same, ...about].join("\n")}\n`);
  return ExitStatus.ok;
}

async function printDryRun(
  scenario: ResolvedScenario,
  flags: Flags,
  gates: Gates | null,
  { dryRun }: Experiment,
  plan: SweepPlan | null,
): Promise<number> {
  const ranks = launcherOf()?.size ?? 1;
  const estimates = gates?.gates.some(isIsaGate) ?? false;
  const outcome = await dryRun(scenario, { ranks, adapter: flags.adapter, kernels: flags.kernels || estimates });
  if (!stdoutIsData(flags)) writeOut(renderDryRun(outcome, lookOfStdout(flags.color)));
  if (plan !== null && !stdoutIsData(flags)) writeOut(`\n${renderShards(plan, lookOfStdout(flags.color))}`);
  if (flags.json !== undefined) writeJson(flags.json, outcome);
  const gated = plannedResult(outcome);
  if (estimates) await (await import("./isa/gated.ts")).addEstimates(gated.variants, outcome.variants);
  const status = await judge(
    { scenario: scenario.name, file: scriptFile(), gated, gates, result: null, command: null },
    flags,
  );
  return outcome.error === null ? status : ExitStatus.badInput;
}

/** Returns the scenario with only one of its variants. */
function aloneIn(scenario: ResolvedScenario, name: string): ResolvedScenario {
  return { ...scenario, baseline: name, variants: scenario.variants.filter((variant) => variant.name === name) };
}

/** Prints the largest batch of each variant that fits in memory. Returns the exit status. */
async function printFit(scenario: ResolvedScenario, flags: Flags): Promise<number> {
  const shows = flags.quiet !== true && Deno.stderr.isTerminal();
  const { fitBatches } = await import("../experiment/fit.ts");
  const fit = await fitBatches(scenario, {
    adapter: flags.adapter,
    onSearch: (variant, done) => {
      if (shows) writeError(`search ${done + 1}: ${variant}\n`);
    },
  });
  if (!stdoutIsData(flags)) writeOut(renderFit(fit, lookOfStdout(flags.color)));
  if (flags.json !== undefined) writeJson(flags.json, fit);
  return fit.variants.every(({ error }) => error === null) ? ExitStatus.ok : ExitStatus.badInput;
}
