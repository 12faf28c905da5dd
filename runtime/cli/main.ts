import { ExitStatus, InputError } from "../core/errors.ts";
import { watchInterrupts } from "../experiment/interrupts.ts";
import type { Timeline } from "../record/timeline.ts";
import { renderTuning } from "../report/autotune.ts";
import { createPaint } from "../report/color.ts";
import { renderDialect } from "../report/dialects/dialect.ts";
import { renderDryRun } from "../report/dry_run.ts";
import { renderMatrix } from "../report/matrix.ts";
import { renderProfile } from "../report/profile.ts";
import { renderPipelines } from "../report/pipeline.ts";
import { createProgress } from "../report/progress.ts";
import { renderVariants } from "../report/variants.ts";
import type { Result } from "../result/schema.ts";
import { registeredScenario } from "../scenario/definition.ts";
import { describeConfig } from "../scenario/describe.ts";
import { type ResolvedScenario, resolveScenario } from "../scenario/resolve.ts";
import type { Experiment } from "./experiment.ts";
import { exitStatusOf, printFailure } from "./failure.ts";
import { type Flags, parseFlags } from "./flags.ts";
import { helpText } from "./help.ts";
import { checkTarget, STDOUT, writeJson } from "./json_output.ts";
import { profileRequest, profileView } from "./profile_view.ts";
import { checkFolder, writeReport } from "./report_folder.ts";
import { describeScript, scriptFile } from "./script.ts";
import { lookOfStdout, terminalColumns, writeOut } from "./terminal.ts";

/** Text is not set wider than this. */
const PROSE_WIDTH = 100;

/** Does what the command line asks for with the registered scenario; returns the exit status. */
export async function main(args: readonly string[], load: () => Promise<Experiment>): Promise<number> {
  try {
    return await dispatch(args, load);
  } catch (error) {
    printFailure(error, args.includes("--debug"));
    return exitStatusOf(error);
  }
}

async function dispatch(args: readonly string[], load: () => Promise<Experiment>): Promise<number> {
  const definition = registeredScenario();
  if (definition === null) {
    throw new InputError("run(): there is no scenario to run; call scenario({ ... }) first");
  }
  const command = `deno run -A ${scriptFile() ?? Deno.mainModule}`;
  const helpWidth = Math.min(terminalColumns(), PROSE_WIDTH);
  const helpAfter = () => helpText(definition, command, helpWidth).trimEnd();
  const flags = parseFlags(args, { command, helpAfter, helpWidth, write: writeOut });
  if (flags === null) return ExitStatus.ok;
  profileView(flags); // complains about flags that do not go together
  if (flags.json !== undefined) await checkTarget(flags.json);
  const scenario = resolveScenario(definition, { ...flags, dataDir: flags.data });
  if (flags.list) return list(scenario, flags);
  if (flags.report !== undefined && !flags.dryRun) await checkFolder(flags.report);
  return flags.dryRun ? await rehearse(scenario, flags, await load()) : await perform(scenario, flags, load);
}

function list({ variants, baseline }: ResolvedScenario, flags: Flags): number {
  const { columns, color } = lookOfStdout(flags.color);
  const named = variants.map(({ name, config }) => ({ name, config: describeConfig(config) }));
  const lines = renderVariants(named, baseline, { width: columns ?? Infinity, paint: createPaint(color) });
  writeOut(`${lines.join("\n")}\n`);
  return ExitStatus.ok;
}

async function rehearse(scenario: ResolvedScenario, flags: Flags, { dryRun }: Experiment): Promise<number> {
  const outcome = await dryRun(scenario, flags.adapter === undefined ? {} : { adapter: flags.adapter });
  if (flags.json !== STDOUT) writeOut(renderDryRun(outcome, lookOfStdout(flags.color)));
  if (flags.json !== undefined) await writeJson(flags.json, outcome);
  return outcome.variants.some(({ error }) => error !== null) ? ExitStatus.badInput : ExitStatus.ok;
}

async function perform(scenario: ResolvedScenario, flags: Flags, load: () => Promise<Experiment>): Promise<number> {
  const progress = createProgress({
    stream: Deno.stderr,
    isTerminal: Deno.stderr.isTerminal(),
    columns: terminalColumns,
  });
  const names = scenario.variants.map(({ name }) => name);
  progress.begin(
    `${scenario.name}: ${names.length === 1 ? "1 variant" : `${names.length} variants`}: ${names.join(" ")}`,
  );
  const { runExperiment } = await load();
  const interrupts = await watchInterrupts();
  const timelines: Timeline[] = [];
  const warnings: string[] = [];
  let result: Result;
  try {
    result = await runExperiment(scenario, {
      ...(flags.adapter === undefined ? {} : { adapter: flags.adapter }),
      interrupted: interrupts.interrupted,
      onProgress: progress.update,
      onWarning: (message) => void warnings.push(message),
      profile: profileRequest(flags, scenario),
      ...(flags.report === undefined ? {} : { onTimeline: (timeline) => void timelines.push(timeline) }),
      script: await describeScript(),
    });
  } finally {
    progress.done();
    interrupts.close();
  }
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (flags.json !== STDOUT) writeOut(render(result, flags));
  if (flags.json !== undefined) await writeJson(flags.json, result);
  if (flags.report !== undefined) await writeReport(flags.report, result, timelines);
  return interrupts.interrupted() ? ExitStatus.interrupted : statusOf(result);
}

/** The matrix, and below it what the flags ask to see of the profile. */
function render(result: Result, flags: Flags): string {
  const look = lookOfStdout(flags.color);
  const { dialect, ...view } = profileView(flags);
  const options = { ...look, ...view };
  const pipelines = flags.pipeline ? renderPipelines(result, look) : "";
  const tuning = (flags.verbosity ?? 0) > 0 ? renderTuning(result, { ...look, candidates: flags.verbosity === 2 }) : "";
  return renderMatrix(result, look) +
    (tuning === "" ? "" : `\n${tuning}`) +
    (pipelines === "" ? "" : `\n${pipelines}`) +
    (dialect === null ? renderProfile(result, options) : renderDialect(dialect, result, options));
}

/** A variant that failed must not go unnoticed, though the others ran. */
function statusOf({ variants }: Result): number {
  return variants.find(({ error }) => error !== null)?.error?.exitStatus ?? ExitStatus.ok;
}
