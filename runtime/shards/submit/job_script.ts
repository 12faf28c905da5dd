import { join } from "node:path";
import { ENVIRONMENT_VARIABLES } from "../../core/environment_variables.ts";
import { shellWord } from "../../core/shell_word.ts";
import { oneLine, type SubmittedSweep } from "./sweep_command.ts";
import { InputError } from "../../core/errors.ts";

/** Time from the end of the margin in which an interrupted shard keeps its rounds and the task is requeued, in seconds. */
const REST_S = 30;

/** Smallest margin before the time limit, in seconds. */
export const MIN_MARGIN_S = 2 * REST_S;

/** Environment variables that a shard gets if they are set. Their values are not written. */
const EXPORTED = [
  ..."PATH HOME USER LOGNAME LANG LC_ALL LD_LIBRARY_PATH XDG_CACHE_HOME XDG_DATA_HOME DENO_DIR SLURM_CONF".split(" "),
  ..."VK_ICD_FILENAMES VK_DRIVER_FILES VK_LOADER_DEVICE_SELECT MESA_VK_DEVICE_SELECT DRI_PRIME LP_NUM_THREADS".split(
    " ",
  ),
  ...ENVIRONMENT_VARIABLES.map(({ name }) => name),
];

/** Parts of a job script that depend on the site and the user. */
export interface Job {
  /** Number of tasks of the array. Each runs every shard whose number differs from the task's by a multiple of it. */
  readonly tasks: number;
  /** Line with the user's options of sbatch. */
  readonly options: string | null;
  /** Time before the time limit at which a task finishes its round, in seconds. */
  readonly margin: number;
}

/**
 * Returns the script of a job array that runs a sweep. At the signal before the time limit, a task lets its shard finish the
 * round and keep it, and requeues itself if it has measured anything since it started.
 */
export function jobScript(sweep: SubmittedSweep, { tasks, options, margin }: Job): string {
  const { name, command, folder, shards, atOnce } = sweep;
  const directives = [
    `--job-name=${directiveWord(`tacho-${name}`)}`,
    `--array=0-${tasks - 1}${atOnce === null ? "" : `%${atOnce}`}`,
    "--requeue",
    `--signal=B:USR1@${margin}`,
    ...placeDirectives(sweep, "%A_%a.log"),
  ];
  const shard = tasks === shards ? `auto/${shards}` : `"$1"/${shards}`;
  return `#!/bin/sh
# Runs the sweep ${name} in ${shards} shards, in ${tasks} tasks of a job array; written by tacho submit
${linesOf(directives, options)}
ended=
child=
timer=

# USR1 lets the shard finish its round and keep it; TERM gives up the round
interrupt() {
  [ -z "$ended" ] || return 0
  ended=$1
  if [ -n "$child" ]; then kill "-$2" "$child"; fi
}
# A round that takes too long is given up, so that there is time to requeue
limit() {
  [ -z "$ended" ] || return 0
  interrupt limit USR1
  [ -n "$child" ] || return 0
  (
    trap 'kill "$nap" 2>/dev/null' TERM
    sleep ${margin - REST_S} &
    nap=$!
    wait "$nap" && kill -TERM "$child" 2>/dev/null
  ) &
  timer=$!
}
trap limit USR1
trap 'interrupt cancelled TERM' INT TERM

run_shard() {
  ${command.map(shellWord).join(" ")} --shard ${shard} &
  child=$!
  if [ -n "$ended" ]; then kill -TERM "$child"; fi
  wait "$child"
  result=$?
  # A signal ends wait before the shard ends
  while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    result=$?
  done
  child=
  if [ -n "$timer" ]; then kill -TERM "$timer" 2>/dev/null; fi
  timer=
  return "$result"
}

# Number of measurements that the shards of this task have kept
kept() {
  count=0
  shard=$first
  while [ "$shard" -le ${shards} ]; do
    for file in ${shellWord(folder)}/*-"$shard"-of-${shards}.tacho.jsonl; do
      if [ -f "$file" ]; then count=$((count + $(grep -c '"kind":"measured"' "$file"))); fi
    done
    shard=$((shard + ${tasks}))
  done
  echo "$count"
}

first=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))
before=$(kept)
status=0
number=$first
while [ "$number" -le ${shards} ] && [ -z "$ended" ]; do
  run_shard "$number" || status=$?
  number=$((number + ${tasks}))
done

# 130: interrupted; 138: ended by USR1 before it listened
if [ "$ended" = limit ] && { [ "$status" -eq 130 ] || [ "$status" -eq 138 ] || [ "$number" -le ${shards} ]; }; then
  if [ "$(kept)" -gt "$before" ]; then
    echo "The time limit is near; the task continues when Slurm starts it again"
    # A busy controller may not answer
    scontrol requeue "$SLURM_JOB_ID" || { sleep 5; scontrol requeue "$SLURM_JOB_ID"; }
  else
    echo "The time limit allows no complete round; submit with a longer --time"
  fi
fi
exit "$status"
`;
}

/** Returns the script of the job that merges the shards when all tasks have ended. */
export function mergeJobScript(sweep: SubmittedSweep, options: string | null): string {
  const directives = [
    `--job-name=${directiveWord(`tacho-${sweep.name}-merge`)}`,
    ...placeDirectives(sweep, "merge-%j.log"),
  ];
  return `#!/bin/sh
# Merges the shards of the sweep ${sweep.name}; written by tacho submit, which submits it to run after them
${linesOf(directives, options)}
exec ${sweep.merge.map(shellWord).join(" ")}
`;
}

/** Returns the directives that both jobs share: the environment, the folder and the log. */
function placeDirectives({ folder, cwd }: SubmittedSweep, log: string): string[] {
  return [
    `--export=${EXPORTED.join(",")}`,
    `--chdir=${directiveWord(cwd)}`,
    "--open-mode=append",
    `--output=${directiveWord(`${join(folder, "logs").replaceAll("%", "%%")}/${log}`)}`,
  ];
}

function linesOf(directives: readonly string[], options: string | null): string {
  return [...directives.map((directive) => `#SBATCH ${directive}`), ...options === null ? [] : [options]].join("\n");
}

/** Options of sbatch that the job script sets, or that would change what it is. */
const TAKEN = ["--array", "--wrap", "--chdir", "--no-requeue"];
const TAKEN_SHORT = /^-[aD]/;

/**
 * Returns the user's options of sbatch as one line of the job script, or null for none.
 *
 * @throws {InputError} if one cannot be used
 */
export function optionLine(options: readonly string[]): string | null {
  if (options.length === 0) return null;
  if (!options[0]!.startsWith("-")) {
    throw new InputError(
      `tacho submit: expected options of sbatch after --, such as --time=1:00:00, got "${options[0]}"`,
    );
  }
  for (const option of options) {
    oneLine(option);
    const name = option.split("=")[0]!;
    if (TAKEN.includes(name) || TAKEN_SHORT.test(option)) {
      throw new InputError(`tacho submit: ${name} cannot be set after --; the job script sets it`);
    }
  }
  return `#SBATCH ${options.map(directiveWord).join(" ")}`;
}

/** Quotes a word for a directive of a job script: unlike a shell, Slurm reads backslashes also between quotes. */
export function directiveWord(word: string): string {
  return shellWord(word.replaceAll("\\", "\\\\"));
}
