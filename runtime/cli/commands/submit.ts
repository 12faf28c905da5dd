import { basename, join, resolve } from "node:path";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { wholeNumber } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { checkScript } from "../script.ts";
import { runScript } from "../script_process.ts";
import { jobScript } from "../submit/job_script.ts";
import { parallelCommand } from "../submit/parallel_command.ts";
import { optionLine } from "../submit/sbatch_options.ts";
import { readSite, type Site, taskCount } from "../submit/site.ts";
import { shardFolder } from "../submit/shard_folder.ts";
import { type SubmittedSweep, sweepCommand } from "../submit/sweep_command.ts";
import { warn, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

export const define = () =>
  createPlainCommand({
    name: "submit",
    description:
      "Runs a sweep in shards on a Slurm cluster, as a job array. Writes the job script, the shard files and the logs to " +
      "the folder NAME.shards, which all nodes must see. Before the time limit, a task keeps its complete rounds and " +
      "requeues itself. Options of sbatch come after --.",
    examples: [
      ["tacho submit mlp.ts sink=0,5,10,20 --shards 4 -- --time=1:00:00", "submit a sweep in 4 shards"],
      ["tacho submit mlp.ts sink=0,5,10,20 --shards 4 --print", "print the job script without submitting it"],
      ["tacho submit mlp.ts --shards 200 --at-once 12", "run at most 12 tasks at the same time"],
      ["tacho submit mlp.ts --shards 8 --parallel -- --sshloginfile nodes", "print a command of GNU parallel instead"],
      ["tacho status mlp", "show how far the shards are"],
    ],
  })
    .usage("[options] <script> [settings...] [-- sbatch options...]")
    .argument("<script>", "path of a script")
    .argument("[settings...]", "settings and flags for the script")
    .option("--shards <n>", "number of shards", wholeNumber("--shards", 1))
    .option("--name <name>", "name of the sweep (default: that of the script)", sweepName)
    .option("--at-once <m>", "run at most m tasks at the same time", wholeNumber("--at-once", 1))
    .option("--tasks <t>", "put the shards into at most t tasks, where the site limits jobs", wholeNumber("--tasks", 1))
    .option("--print", "print the job script without submitting it")
    .option("--parallel", "print a command of GNU parallel that runs the shards")
    .allowUnknownOption();

/** Submits a sweep, or prints what would be submitted. */
export async function run(args: readonly string[]): Promise<number> {
  const at = args.indexOf("--");
  const command = define();
  if (!parseCommand(command, at < 0 ? args : args.slice(0, at))) return ExitStatus.ok;
  const [script, settings] = command.processedArgs;
  const { shards, name = nameOf(script), atOnce = null, tasks: most = null, print, parallel } = command.opts();
  if (script.startsWith("-")) throw new InputError(`tacho submit: expected the path of a script, got "${script}"`);
  if (shards === undefined) throw new InputError("tacho submit: expected --shards and a number, such as --shards 8");
  if (print && parallel) throw new InputError("tacho submit: use either --print or --parallel");
  await checkScript(script, "tacho submit");
  const folder = resolve(shardFolder(name));
  const cwd = Deno.cwd();
  const sweep = { name, command: sweepCommand(script, settings, folder), folder, cwd, shards, atOnce };
  const options = at < 0 ? [] : args.slice(at + 1);
  if (parallel) {
    if (most !== null) throw new InputError("--tasks: cannot be used with --parallel");
    writeOut(`${parallelCommand(sweep, options)}\n`);
    return ExitStatus.ok;
  }
  const line = optionLine(options);
  const site = print ? await siteToPrint() : await readSite();
  const tasks = taskCount(shards, site, most);
  const text = jobScript(sweep, { tasks, options: line });
  if (print) {
    writeOut(text);
    return ExitStatus.ok;
  }
  if (site === null) {
    throw new InputError(
      "tacho submit: Slurm is not installed here; submit on a login node of the cluster, or print the job script with " +
        "--print or a command of GNU parallel with --parallel",
    );
  }
  // Wrong settings end here, instead of in every task
  const checked = await runScript(script, [...settings, "--list"], cwd, { quiet: true });
  if (checked !== ExitStatus.ok) return checked;
  return await submit(sweep, tasks, text);
}

/** Returns the limits of the cluster; null, with a warning, where they cannot be read. */
async function siteToPrint(): Promise<Site | null> {
  try {
    const site = await readSite();
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

async function submit({ name, folder, shards }: SubmittedSweep, tasks: number, text: string): Promise<number> {
  const file = join(folder, "job.sh");
  try {
    await Deno.mkdir(join(folder, "logs"), { recursive: true }); // Slurm does not make it
    await Deno.writeTextFile(file, text);
  } catch (error) {
    throw new InputError(`tacho submit: ${file} cannot be written (${reasonOf(error)})`, { cause: error });
  }
  const { success, stdout, stderr } = await new Deno.Command("sbatch", { args: ["--parsable", file], stdin: "null" })
    .output();
  const decoder = new TextDecoder();
  if (!success) throw new InputError(`tacho submit: sbatch refused ${file}: ${decoder.decode(stderr).trim()}`);
  const [job] = decoder.decode(stdout).trim().split(";");
  const amount = `${shards} shards${tasks < shards ? ` in ${tasks} tasks` : ""}`;
  writeOut(`Submitted ${amount} as job ${job}; tacho status ${name} shows how far they are\n`);
  return ExitStatus.ok;
}
