import { join } from "node:path";
import { shellWord } from "../../core/shell_word.ts";
import type { SubmittedSweep } from "./sweep_command.ts";

/** Time before the time limit at which Slurm sends the signal, in seconds. */
const MARGIN_S = 120;

/** Environment variables that a shard gets if they are set. Their values are not written. */
const EXPORTED = [
  ..."PATH HOME USER LOGNAME LANG LC_ALL LD_LIBRARY_PATH XDG_CACHE_HOME DENO_DIR NO_COLOR".split(" "),
  ..."VK_ICD_FILENAMES VK_DRIVER_FILES SLURM_CONF".split(" "),
  ..."TACHO_CACHE TACHO_STORE TACHO_KERNELS TACHO_WITHOUT TACHO_GRACE".split(" "),
];

/** Parts of a job script that depend on the site and the user. */
export interface Job {
  /** Number of tasks of the array. Each runs every shard whose number differs from the task's by a multiple of it. */
  readonly tasks: number;
  /** Line with the user's options of sbatch. */
  readonly options: string | null;
}

/**
 * Returns the script of a job array that runs a sweep. At the signal before the time limit, a task ends its shard, which
 * keeps its complete rounds, and requeues itself if it has measured anything since it started.
 */
export function jobScript(sweep: SubmittedSweep, { tasks, options }: Job): string {
  const { name, command, folder, cwd, shards, atOnce } = sweep;
  const directives = [
    `--job-name=${shellWord(`tacho-${name}`)}`,
    `--array=0-${tasks - 1}${atOnce === null ? "" : `%${atOnce}`}`,
    "--requeue",
    `--signal=B:USR1@${MARGIN_S}`,
    `--export=${EXPORTED.join(",")}`,
    `--chdir=${shellWord(cwd)}`,
    "--open-mode=append",
    `--output=${shellWord(`${join(folder, "logs").replaceAll("%", "%%")}/%A_%a.log`)}`,
  ];
  const shard = tasks === shards ? `auto/${shards}` : `"$1"/${shards}`;
  return `#!/bin/sh
# Runs the sweep ${name} in ${shards} shards, in ${tasks} tasks of a job array; written by tacho submit
${directives.map((directive) => `#SBATCH ${directive}\n`).join("")}${options === null ? "" : `${options}\n`}
ended=
child=

# The shard keeps its complete rounds when it is interrupted
interrupt() {
  [ -z "$ended" ] || return 0
  ended=$1
  if [ -n "$child" ]; then kill -TERM "$child"; fi
}
trap 'interrupt limit' USR1
trap 'interrupt cancelled' INT TERM

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

if [ "$ended" = limit ] && { [ "$status" -eq 130 ] || [ "$number" -le ${shards} ]; }; then
  if [ "$(kept)" -gt "$before" ]; then
    echo "The time limit is near; the task continues when Slurm starts it again"
    scontrol requeue "$SLURM_JOB_ID"
  else
    echo "The time limit allows no complete round; submit with a longer --time"
  fi
fi
exit "$status"
`;
}
