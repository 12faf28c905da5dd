import type { Cluster } from "../cluster/cluster.ts";
import { ExitStatus } from "../core/errors.ts";
import { takeVariable } from "../core/take_variable.ts";
import { environment } from "../device/environment.ts";
import { graceOf, type Interrupts, watchInterrupts } from "../experiment/interrupts/interrupts.ts";
import { describedArms } from "../experiment/programs/described_arms.ts";
import { isDistributed } from "../experiment/distributed/ranks.ts";
import { handOver } from "../library/handoff.ts";
import { measureKept } from "../library/measure_kept.ts";
import type { Gates } from "../library/read_gates.ts";
import { type Keeping, modulesOfScript, specOf } from "../library/retention.ts";
import { runFromScript } from "../library/run_from_script.ts";
import { describeScript, scriptFile, scriptPath } from "../library/script.ts";
import { wrap } from "../report/wrap.ts";
import type { Emit } from "../result/run_event.ts";
import type { Scenario } from "../scenario/definition.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { checkDiffs, shownDiffs } from "./diff/diffs.ts";
import { copiesWarning, type Experiment, processLines } from "./on_ranks.ts";
import { type Flags, settingsOf } from "./flags.ts";
import { judge } from "./gates.ts";
import { stdoutIsData, writeJson } from "./json_output.ts";
import { profileRequest } from "./profile_view.ts";
import { resultText } from "./result_text.ts";
import { commandLine } from "./script.ts";
import { PARENT_VARIABLE } from "./script_process.ts";
import { startLine, stderrProgress } from "./stderr_progress.ts";
import { PROSE_WIDTH, terminalColumns, warn, writeError, writeOut } from "./terminal.ts";

/** Columns of the word before a warning. */
const WARNING_WIDTH = "warning: ".length;

/** Runs a scenario, prints its result and writes what the flags ask for. Returns the exit status. */
export async function perform(
  scenario: ResolvedScenario,
  flags: Flags,
  { args, gates, load, emit, tuned = null, shard, cluster = null }: {
    args: readonly string[];
    gates: Gates | null;
    load: () => Promise<Experiment>;
    emit: Emit;
    /** Ranks that share the training. */
    cluster?: Cluster | null;
    /** Definition of the scenario, whose only variant `--tune` works on. */
    tuned?: Scenario | null;
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
  const warnings: string[] = [];
  const emitAll: Emit = (event) => {
    emit(event);
    progress.update(event);
    if (event.type === "warning" && event.kind === null) warnings.push(event.message);
    if (event.type === "round") interrupts?.roundEnded();
  };
  const copies = shard === undefined && !isDistributed(scenario) ? copiesWarning() : null;
  if (copies !== null) emitAll({ type: "warning", kind: null, message: copies });
  const script = describeScript();
  const { runExperiment } = await load();
  let listed: ReturnType<typeof modulesOfScript> | null = null;
  const modules = () => listed ??= modulesOfScript(scenario);
  const parent = takeVariable(PARENT_VARIABLE);
  const { result, line: kept, timelines, settle } = await measureKept(
    { spec: specOf(scenario, script), script: scriptPath(), modules, args },
    { store: flags.store ?? true, resume: flags.resume, shard },
    {
      emit: emitAll,
      timelines: flags.report !== undefined,
      listen: async (kept) => {
        const listening = await watchInterrupts({ parent: parent === undefined ? null : Number(parent), grace, kept });
        interrupts = listening;
        const close = () => {
          progress.done();
          listening.close();
        };
        return { ...listening, close };
      },
    },
    async (connection) => {
      const options = {
        ...connection,
        adapter: flags.adapter,
        profile: profileRequest(flags, scenario),
        script,
        modules,
        cluster,
        shareDevice: flags.shareDevice === true,
      };
      if (tuned === null) return await runFromScript(scenario, settingsOf(flags), options, runExperiment);
      const { tuneScenario } = await import("./tune.ts");
      return await tuneScenario(tuned, scenario, flags, options);
    },
  );
  const width = Deno.stderr.isTerminal() ? Math.min(terminalColumns(), PROSE_WIDTH) : Infinity;
  const tellWarnings = () => warnings.splice(0).forEach((text) => warn(wrap(text, width - WARNING_WIDTH).join("\n")));
  tellWarnings();
  if (kept !== null && flags.quiet !== true) writeError(`${kept}\n`);
  if (!stdoutIsData(flags)) writeOut(resultText(result, flags));
  await settle();
  tellWarnings();
  if (flags.json !== undefined) writeJson(flags.json, result);
  if (flags.report !== undefined) {
    const { writeReport, WRITING_REPORT } = await import("../library/report_folder.ts");
    progress.update(WRITING_REPORT);
    const diffs = shownDiffs(result, flags);
    try {
      await writeReport(flags.report, result, { timelines, command: commandLine(args), diffs }, "--report");
    } finally {
      progress.done();
    }
  }
  handOver(result);
  if (tuned !== null) await (await import("./tune.ts")).lockTuned(result, flags, args);
  const status = await judge(
    { scenario: scenario.name, file: scriptFile(), gated: result, gates, result, command: commandLine(args) },
    flags,
  );
  return interrupts?.interrupted() ? ExitStatus.interrupted : status;
}
