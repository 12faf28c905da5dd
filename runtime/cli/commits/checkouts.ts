import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { gitCommand, type GitOptions, withoutPrograms } from "../../core/git.ts";
import type { Version } from "./version.ts";

/** Name of the working tree with its changes, instead of a commit. */
const WORKING_TREE = ".";

/** Worktrees of a repository in a temporary folder, which are removed on disposal. */
export class Checkouts implements AsyncDisposable {
  readonly #root: string;
  /** The current folder in the repository. */
  readonly #prefix: string;
  readonly #temporary: string;
  readonly #setup: readonly string[];
  readonly #made = new Map<string, string>();

  private constructor(root: string, prefix: string, temporary: string, setup: readonly string[]) {
    this.#root = root;
    this.#prefix = prefix;
    this.#temporary = temporary;
    this.#setup = setup;
    addEventListener("unload", this.#discard);
  }

  /**
   * Prepares worktrees of the repository of a folder.
   *
   * @param setup words of a command to run in each worktree first, such as `npm ci`; empty for none
   * @throws {InputError} if the folder is not in a repository
   */
  static async open(folder: string, setup: readonly string[] = []): Promise<Checkouts> {
    const root = await git(["rev-parse", "--show-toplevel"], folder);
    const prefix = await git(["rev-parse", "--show-prefix"], folder);
    const temporary = await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-commits-" }));
    return new Checkouts(root, prefix, temporary, setup);
  }

  /** Folder for files about the repository that are not part of it. */
  async gitFolder(): Promise<string> {
    return await git(["rev-parse", "--absolute-git-dir"], this.#root);
  }

  /**
   * Returns the hash of a commit.
   *
   * @throws {InputError} if the repository has no such commit
   */
  async hashOf(name: string): Promise<string> {
    try {
      return await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], this.#root);
    } catch (cause) {
      const message = `Unknown commit "${name}"; expected a branch, a tag or a hash of the repository in ${this.#root}`;
      throw new InputError(message, { cause });
    }
  }

  /** Returns the short hash of a commit and its subject. */
  async describe(hash: string): Promise<string> {
    return await git(["log", "-1", "--format=%h %s", hash], this.#root);
  }

  /** Returns the commits after the first one up to the second, oldest first, along first parents. */
  async between(first: string, last: string): Promise<string[]> {
    const text = await git(["rev-list", "--first-parent", "--reverse", `${first}..${last}`], this.#root);
    return text === "" ? [] : text.split("\n");
  }

  /** True if the first commit is an ancestor of the second. */
  async isAncestor(first: string, second: string): Promise<boolean> {
    return await git(["merge-base", "--is-ancestor", first, second], this.#root).then(() => true, () => false);
  }

  /**
   * Checks a commit out, once.
   *
   * @param name commit, or `.` for the working tree with its changes
   * @throws {InputError} if there is no such commit, or its set-up fails
   */
  async add(name: string): Promise<Version> {
    if (name === WORKING_TREE) {
      return { name, description: "working tree", cwd: join(this.#root, this.#prefix), flags: [] };
    }
    const hash = await this.hashOf(name);
    const description = await this.describe(hash);
    const cwd = join(this.#made.get(hash) ?? await this.#make(hash), this.#prefix);
    try {
      await Deno.stat(cwd);
    } catch {
      throw new InputError(`Commit ${name} (${description}) has no folder ${this.#prefix}; run tacho in another one`);
    }
    return { name, description, cwd, flags: [] };
  }

  /** Removes a worktree. */
  async remove(name: string): Promise<void> {
    const hash = await this.hashOf(name);
    const folder = this.#made.get(hash);
    if (folder === undefined) return;
    this.#made.delete(hash);
    await git(["worktree", "remove", "--force", "--force", folder], this.#root).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    removeEventListener("unload", this.#discard);
    await Deno.remove(this.#temporary, { recursive: true }).catch(() => {});
    await git(["worktree", "prune"], this.#root).catch(() => {});
  }

  /** Removes the worktrees if the process ends at once. */
  readonly #discard = (): void => {
    try {
      Deno.removeSync(this.#temporary, { recursive: true });
      gitCommand(["worktree", "prune"], this.#root).outputSync();
    } catch {
      // nothing more can be done
    }
  };

  async #make(hash: string): Promise<string> {
    const folder = join(this.#temporary, hash.slice(0, 12));
    await git([..."worktree add --quiet --detach --no-checkout".split(" "), folder, hash], this.#root);
    // The configuration may depend on the worktree
    await git(["reset", "--hard", "--quiet"], folder, { settings: await withoutPrograms(folder) });
    this.#made.set(hash, folder);
    const [program, ...args] = this.#setup;
    if (program === undefined) return folder;
    const cwd = join(folder, this.#prefix);
    const { code, stderr } = await runSetup(program, args, cwd);
    if (code === 0) return folder;
    const lines = new TextDecoder().decode(stderr).trimEnd().split("\n").slice(-5).map((line) => `  ${line}`);
    throw new InputError(`--setup ended with status ${code} at ${hash.slice(0, 7)}:\n${lines.join("\n")}`);
  }
}

async function runSetup(program: string, args: string[], cwd: string): Promise<Deno.CommandOutput> {
  try {
    return await new Deno.Command(program, { args, cwd, stdin: "null", stdout: "null" }).output();
  } catch (cause) {
    throw new InputError(`--setup: ${program} cannot be started: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Runs git and returns its output without the final line end.
 *
 * @throws {InputError} if git is missing or fails
 */
async function git(args: readonly string[], cwd: string, options: GitOptions = {}): Promise<string> {
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
