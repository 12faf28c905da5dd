import { shellWord } from "../../core/shell_word.ts";
import type { SubmittedSweep } from "./sweep_command.ts";

/**
 * Returns a command line of GNU parallel that runs the shards of a sweep: one at a time unless the user allows more, since
 * shards on one machine slow each other down.
 *
 * @param options the user's options of parallel
 */
export function parallelCommand(sweep: SubmittedSweep, options: readonly string[]): string {
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
