import { shellWord } from "../../core/shell_word.ts";
import { basename, join, relative, resolve } from "node:path";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { reasonOf } from "../../core/shown.ts";
import { wholeNumber } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { checkScript } from "../script.ts";
import { runScript } from "../script_process.ts";
import { type JobPlace, jobPlace } from "../../shards/submit/submit_limits.ts";
import { jobScript, mergeJobScript, MIN_MARGIN_S, optionLine } from "../../shards/submit/job_script.ts";
import { adviceFor, sbatch } from "../../shards/submit/sbatch.ts";
import { readSite, type Site, taskCount } from "../../shards/submit/site.ts";
import { shardFolder } from "../../shards/submit/sweep_status.ts";
import { tachoWords } from "../tacho_command.ts";
import { mergeCommand, type SubmittedSweep, sweepCommand } from "../../shards/submit/sweep_command.ts";
import { warn, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

/** Default time before the time limit at which a task finishes its round, in seconds. */
const MARGIN_S = 120;

export const define = () =>
  createPlainCommand({
    name: "submit",
    description:
      "Runs a sweep in shards on a Slurm cluster, as a job array. Writes the job script, the shard files and the logs to " +
      "the folder NAME.shards, which all nodes must see. Before the time limit, a task finishes its round and requeues " +
      "itself. A job that runs after all tasks merges the shards into one run and writes NAME.shards/report. Options of " +
      "sbatch come after -- and are for both jobs.",
    examples: [
      ["tacho submit mlp.ts sink=0,5,10,20 --shards 4 -- --time=1:00:00", "submit a sweep in 4 shards"],
      ["tacho submit mlp.ts sink=0,5,10,20 --shards 4 --print", "print the job script without submitting it"],
      ["tacho submit mlp.ts --shards 200 --at-once 12", "run at most 12 tasks at the same time"],
      ["tacho submit mlp.ts --shards 8 --parallel -- --sshloginfile nodes", "print a command of GNU parallel instead"],
      ["tacho status mlp", "show how far the shards are"],
      ["tacho collect mlp", "merge the shards into the store of this machine"],
    ],
  })
    .usage("[options] <script> [settings...] [-- sbatch options...]")
    .argument("<script>", "path of a script")
    .argument("[settings...]", "settings and flags for the script")
    .option("--shards <n>", "number of shards", wholeNumber("--shards", 1))
    .option("--name <name>", "name of the sweep (default: that of the script)", sweepName)
    .option("--at-once <m>", "run at most m tasks at the same time", wholeNumber("--at-once", 1))
    .option("--tasks <t>", "put the shards into at most t tasks, where the site limits jobs", wholeNumber("--tasks", 1))
    .option(
      "--margin <s>",
      `finish the round this many seconds before the time limit (default: ${MARGIN_S})`,
      wholeNumber("--margin", MIN_MARGIN_S),
    )
    .option("--no-merge", "submit no job that merges the shards")
    .option("--print", "print the job script without submitting it")
    .option("--parallel", "print a command of GNU parallel that runs the shards")
    .allowUnknownOption();

/** Submits a sweep, or prints what would be submitted. */
export async function run(args: readonly string[]): Promise<number> {
  const at = args.indexOf("--");
  const command = define();
  if (!parseCommand(command, at < 0 ? args : args.slice(0, at))) return ExitStatus.ok;
  const [script, settings] = command.processedArgs;
  const {
    shards,
    name = nameOf(script),
    atOnce = null,
    tasks: most = null,
    margin = MARGIN_S,
    print,
    parallel,
    merge,
  } = command.opts();
  if (script.startsWith("-")) throw new InputError(`tacho submit: expected the path of a script, got "${script}"`);
  if (shards === undefined) throw new InputError("tacho submit: expected --shards and a number, such as --shards 8");
  if (print && parallel) throw new InputError("tacho submit: use either --print or --parallel");
  checkScript(script, "tacho submit");
  const folder = resolve(shardFolder(name));
  const cwd = Deno.cwd();
  const tacho = tachoWords();
  const commands = { command: sweepCommand(tacho, script, settings, folder), merge: mergeCommand(tacho, folder) };
  const sweep = { name, ...commands, folder, cwd, shards, atOnce };
  const options = at < 0 ? [] : args.slice(at + 1);
  if (parallel) {
    if (most !== null) throw new InputError("--tasks: cannot be used with --parallel");
    writeOut(`${parallelCommand(sweep, options)}\n`);
    return ExitStatus.ok;
  }
  if (folder.includes("\\")) {
    throw new InputError(
      `tacho submit: ${folder} contains a backslash, which turns off the patterns in the names of Slurm's logs; submit ` +
        "in another folder",
    );
  }
  const line = optionLine(options);
  const place = jobPlace(options, (name) => Deno.env.get(name));
  const site = print ? await siteToPrint(place) : await readSite(place);
  const tasks = taskCount(shards, site, most);
  const text = jobScript(sweep, { tasks, options: line, margin });
  const merging = merge ? mergeJobScript(sweep, line) : null;
  if (print) {
    writeOut(merging === null ? text : `${text}\n${commented(merging)}`);
    return ExitStatus.ok;
  }
  if (site === null) {
    throw new InputError(
      "tacho submit: Slurm is not installed here; submit on a login node of the cluster, or print the job script with " +
        "--print or a command of GNU parallel with --parallel",
    );
  }
  // Wrong settings end here, instead of in every task
  const check = ["--list", "--shard", `1/${shards}`, "--shard-dir", folder];
  const checked = await runScript(script, [...settings, ...check], cwd, { quiet: true });
  if (checked !== ExitStatus.ok) return checked;
  return await submit(sweep, { tasks, running: site.running }, { text, merging });
}

/** Returns the script of the merging job as comments, which leave the script of the shards as it is submitted. */
function commented(merging: string): string {
  const lines = ["The job after it (sbatch --dependency=afterany:JOB):", "", ...merging.trimEnd().split("\n")];
  return lines.map((line) => line === "" ? "#\n" : `#   ${line}\n`).join("");
}

/** Returns the limits of the cluster; null, with a warning, where they cannot be read. */
async function siteToPrint(place: JobPlace): Promise<Site | null> {
  try {
    const site = await readSite(place);
    if (site === null) warn("Slurm is not installed here; the script assumes no limit on the tasks of a job array");
    return site;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    warn(`${error.message}; the script assumes no limit on the tasks of a job array`);
    return null;
  }
}

function nameOf(script: string): string {
  return basename(script).replace(/\.[^.]+$/, "").replaceAll(/[^\w.-]/g, "-");
}

function sweepName(text: string): string {
  if (/^\w[\w.-]*$/.test(text)) return text;
  throw new InputError(`--name: expected letters, digits, dots and hyphens, got "${text}"`);
}

async function submit(
  { name, folder, shards, atOnce }: SubmittedSweep,
  { tasks, running }: { readonly tasks: number; readonly running: number | null },
  { text, merging }: { readonly text: string; readonly merging: string | null },
): Promise<number> {
  const [file, merge] = [join(folder, "job.sh"), join(folder, "merge.sh")];
  try {
    await Deno.mkdir(join(folder, "logs"), { recursive: true }); // Slurm does not make it
    writeFile(file, text);
    if (merging !== null) writeFile(merge, merging);
  } catch (error) {
    throw new InputError(`tacho submit: ${file} cannot be written (${reasonOf(error)})`, { cause: error });
  }
  const { job, refusal } = await sbatch([file]);
  if (job === null) throw new InputError(`tacho submit: sbatch refused ${file}: ${refusal}${adviceFor(refusal)}`);
  const amount = `${shards} shards${tasks < shards ? ` in ${tasks} tasks` : ""}`;
  writeOut(`Submitted ${amount} as job ${job}; tacho status ${name} shows how far they are\n`);
  if (running !== null && running < Math.min(tasks, atOnce ?? tasks)) {
    writeOut(`At most ${running} run at the same time, by your account's limits\n`);
  }
  if (merging === null) return ExitStatus.ok;
  const after = await sbatch([`--dependency=afterany:${job}`, merge]);
  if (after.job !== null) {
    writeOut(`Job ${after.job} merges them when all have ended, and writes ${relative(Deno.cwd(), folder)}/report\n`);
  } else {
    warn(`sbatch refused the job that merges the shards (${after.refusal}); tacho collect ${name} merges them`);
  }
  return ExitStatus.ok;
}

/**
 * Returns a command line of GNU parallel that runs the shards of a sweep: one at a time unless the user allows more, since
 * shards on one machine slow each other down.
 *
 * @param options the user's options of parallel
 */
function parallelCommand(sweep: SubmittedSweep, options: readonly string[]): string {
  const { command, cwd, shards, atOnce } = sweep;
  const words = command.map(quoted).join(" ");
  const shard = `cd ${quoted(cwd)} && ${words} --shard {}/${shards}`;
  const flags = ["--jobs", String(atOnce ?? 1), "--line-buffer", "--tagstring", "{}", ...options].map(shellWord);
  return `seq ${shards} | parallel ${flags.join(" ")} ${shellWord(shard)}`;
}

/** Quotes a word for the shell, with replacement strings of parallel, such as {.}, taken apart. */
function quoted(word: string): string {
  return shellWord(word).replaceAll("{", "{''");
}
