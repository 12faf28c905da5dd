import { join } from "node:path";
import type { Cluster } from "../cluster/cluster.ts";
import { ExitStatus } from "../core/errors.ts";
import { shellWord } from "../core/shell_word.ts";
import { takeVariable } from "../core/take_variable.ts";
import { environment } from "../device/environment.ts";
import { graceOf, type Interrupts, watchInterrupts } from "../experiment/interrupts/interrupts.ts";
import type { ExperimentOptions } from "../experiment/options.ts";
import { describedArms } from "../experiment/programs/described_arms.ts";
import { isDistributed } from "../experiment/ranks.ts";
import type { Timeline } from "../record/timeline.ts";
import { handOver } from "../library/handoff.ts";
import { isSandboxed } from "../library/is_sandboxed.ts";
import { measureKept } from "../library/measure_kept.ts";
import type { Gates } from "../library/read_gates.ts";
import { type Keeping, modulesOfScript, specOf } from "../library/retention.ts";
import { withScenarioSource } from "../library/scenario_source.ts";
import { describeScript, scriptPath } from "../library/script.ts";
import { wrap } from "../report/wrap.ts";
import type { Emit } from "../result/run_event.ts";
import type { Change, Result } from "../result/schema.ts";
import type { Scenario } from "../scenario/definition.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { checksFor } from "./checks_for.ts";
import { checkDiffs, shownDiffs } from "./diff/diffs.ts";
import type { Experiment } from "./experiment_module.ts";
import type { Flags } from "./flags.ts";
import { reportGates } from "./gates.ts";
import { stdoutIsData, writeJson } from "./json_output.ts";
import { profileRequest } from "./profile_view.ts";
import { resultText } from "./result_text.ts";
import { copiesWarning, processLines } from "./on_ranks.ts";
import { commandLine } from "./script.ts";
import { settingsOf } from "./run_settings.ts";
import { PARENT_VARIABLE } from "./script_process.ts";
import { startLine, stderrProgress } from "./stderr_progress.ts";
import { tachoCommand } from "./tacho_command.ts";
import { PROSE_WIDTH, terminalColumns, warn, writeError, writeOut } from "./terminal.ts";

/** Columns of the word before a warning. */
const WARNING_WIDTH = "warning: ".length;

/** Runs a scenario, prints its result and writes what the flags ask for. Returns the exit status. */
export async function perform(
  scenario: ResolvedScenario,
  flags: Flags,
  { args, gates, load, emit, tuned, shard, cluster = null }: {
    args: readonly string[];
    gates: Gates | null;
    load: () => Promise<Experiment>;
    emit: Emit;
    /** Ranks that share the training. */
    cluster?: Cluster | null;
    /** Scenario and variant of `--tune`. */
    tuned: { definition: Scenario; variant: string; adapters: readonly string[] | undefined } | null;
    /** Part of a sweep and its file; omitted for a whole run. */
    shard?: Keeping["shard"];
  },
): Promise<number> {
  const grace = graceOf(environment("TACHO_GRACE"));
  let interrupts: Interrupts | null = null as Interrupts | null;
  const progress = stderrProgress({
    quiet: flags.quiet === true,
    dataOnStdout: stdoutIsData(flags),
    // Not interrupted(), which would tell that the run makes progress
    interrupted: () => interrupts !== null && Atomics.load(interrupts.signal, 0) !== 0,
  });
  const names = describedArms(scenario).map(({ name }) => name);
  checkDiffs(flags, names);
  progress.begin(startLine(scenario.name, names));
  if (cluster !== null) processLines(cluster).forEach((line) => progress.begin(line));
  const timelines: Timeline[] = [];
  const warnings: string[] = [];
  const onEvent: Emit = (event) => {
    emit(event);
    progress.update(event);
    if (event.type === "warning" && event.kind === null) warnings.push(event.message);
    if (event.type === "timeline" && flags.report !== undefined) timelines.push(event.timeline);
    if (event.type === "round") interrupts?.roundEnded();
  };
  const addWarning = (message: string) => onEvent({ type: "warning", kind: null, message });
  const copies = shard === undefined && !isDistributed(scenario) ? copiesWarning() : null;
  if (copies !== null) addWarning(copies);
  const script = describeScript();
  const { runExperiment } = await load();
  let listed: ReturnType<typeof modulesOfScript> | null = null;
  const modules = () => listed ??= modulesOfScript(scenario);
  const work = { spec: specOf(scenario, script), script: scriptPath(), modules, args, warn: addWarning };
  const parent = takeVariable(PARENT_VARIABLE);
  let changes: readonly Change[] = [];
  const keeping = { store: flags.store ?? true, resume: flags.resume, shard };
  const { result, line: kept, settle } = await measureKept(work, keeping, async (retention) => {
    if (retention.done !== null) return retention.done;
    interrupts = await watchInterrupts({
      parent: parent === undefined ? null : Number(parent),
      grace,
      kept: retention.keptIfEnded,
    });
    const { interrupted } = interrupts;
    const options: ExperimentOptions = {
      ...(flags.adapter === undefined ? {} : { adapter: flags.adapter }),
      interrupted,
      onEvent,
      runRecorder: retention.runRecorder,
      profile: profileRequest(flags, scenario),
      script,
      modules,
      cluster,
      shareDevice: flags.shareDevice === true,
    };
    try {
      if (tuned === null) {
        return await withScenarioSource(
          scenario,
          settingsOf(flags),
          flags.adapter,
          (processSource) => runExperiment(scenario, { ...options, processSource }),
        );
      }
      const { tuneScenario } = await import("./tune.ts");
      const { definition, variant, adapters } = tuned;
      const climbed = await tuneScenario(definition, variant, flags, { ...options, retention, adapters });
      changes = climbed.kept;
      return climbed.result;
    } finally {
      progress.done();
      interrupts.close();
    }
  });
  const width = Deno.stderr.isTerminal() ? Math.min(terminalColumns(), PROSE_WIDTH) : Infinity;
  const tellWarnings = () => warnings.splice(0).forEach((text) => warn(wrap(text, width - WARNING_WIDTH).join("\n")));
  tellWarnings();
  if (kept !== null && flags.quiet !== true) writeError(`${kept}\n`);
  if (!stdoutIsData(flags)) writeOut(resultText(result, flags));
  await settle();
  tellWarnings();
  if (flags.json !== undefined) writeJson(flags.json, result);
  if (flags.report !== undefined) {
    const { writeReport } = await import("../library/report_folder.ts");
    const diffs = shownDiffs(result, flags);
    await writeReport(flags.report, result, { timelines, command: commandLine(args), diffs }, "--report");
  }
  handOver(result);
  if (tuned !== null && changes.length > 0 && !isSandboxed()) {
    await tellLock(scenario, flags, { args, variant: tuned.variant, changes });
  }
  const gated = gates === null ? ExitStatus.ok : reportGates(gates, result, { ...flags, below: true });
  await checksFor(flags, { scenario: scenario.name, gated: result, gates, result, command: commandLine(args) });
  if (interrupts?.interrupted()) return ExitStatus.interrupted;
  return statusOf(result) || gated;
}

async function tellLock(
  { name }: ResolvedScenario,
  { report = ".", quiet }: Flags,
  { args, variant, changes }: { args: readonly string[]; variant: string; changes: readonly Change[] },
): Promise<void> {
  const { lockTuned } = await import("./tune.ts");
  const file = await lockTuned(join(report, `${name}-tuned.lock.json`), variant, args, changes);
  if (file !== null && quiet !== true) {
    writeError(`tuned experiment: ${file} (${tachoCommand()} repeat ${shellWord(file)})\n`);
  }
}

/** Returns the exit status of the first failed variant, even if others ran. */
function statusOf({ variants }: Result): number {
  return variants.find(({ error }) => error !== null)?.error?.exitStatus ?? ExitStatus.ok;
}
