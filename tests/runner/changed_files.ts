import { join } from "node:path";

const root = join(import.meta.dirname!, "..", "..");

/**
 * Returns the files that differ from a commit, with those that git does not know yet.
 *
 * @param base default: where the branch left `origin/main`, or without one the commit before the last
 */
export async function changedFiles(base?: string): Promise<string[]> {
  const from = base ?? await git("merge-base", "origin/main", "HEAD").catch(() => "HEAD~1");
  const lists = await Promise.all([
    git("diff", "--name-only", "--no-renames", from.trim(), "--"),
    git("ls-files", "--others", "--exclude-standard"),
  ]);
  return lists.join("\n").split("\n").filter((file) => file !== "");
}

async function git(...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", { args: [...args], cwd: root }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`git ${args.join(" ")}: ${decoder.decode(stderr).trim()}`);
  return decoder.decode(stdout);
}
