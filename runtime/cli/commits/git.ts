import { InputError } from "../../core/errors.ts";
import { gitCommand, type GitOptions } from "../../core/git.ts";

/**
 * Runs git and returns its output without the final line end.
 *
 * @throws {InputError} if git is missing or fails
 */
export async function git(args: readonly string[], cwd: string, options: GitOptions = {}): Promise<string> {
  let output: Deno.CommandOutput;
  try {
    output = await gitCommand(args, cwd, options).output();
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotFound ? "git is not installed" : (cause as Error).message;
    throw new InputError(`git ${args[0]}: ${why}`, { cause });
  }
  const decoder = new TextDecoder();
  if (output.success) return decoder.decode(output.stdout).replace(/\r?\n$/, "");
  const reason = decoder.decode(output.stderr).trim().replace(/^(fatal|error): /, "");
  throw new InputError(`git ${args[0]}: ${reason || `ended with status ${output.code}`}`);
}
