/**
 * Git, also in folders that a stranger has made: it starts no program that the configuration of a repository names.
 *
 * @module
 */

import { InputError } from "./errors.ts";

/** Settings with which git starts no program, and does not take a folder for a bare repository. */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": Deno.build.os === "windows" ? "NUL" : "/dev/null",
  "log.showSignature": "false",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
};

/** Environment in which git asks nothing, takes no locks that it can do without, and fetches nothing. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
};

/** Settings that define a filter or a hook. */
const PROGRAM = /^(?:(?<filter>filter\..*\.)|(?<hook>hook\..*\.))[^.]+$/s;

/** Time for the answers about a folder, in ms. A repository may name pipes. */
const LIMIT = 10_000;

/** Commit of a folder. */
export interface GitState {
  /** Short hash, with the suffix `-dirty` if there are changes; null if unknown. */
  readonly git: string | null;
  /** True if there are changes; null if unknown. */
  readonly gitDirty: boolean | null;
}

/** Options of {@linkcode gitCommand}. */
export interface GitOptions {
  /** Additional settings, such as those of {@linkcode withoutPrograms}. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Ends git when it aborts. */
  readonly signal?: AbortSignal;
}

/** Returns a command of git whose output is piped. Nothing else in Tacho starts git. */
export function gitCommand(
  args: readonly string[],
  cwd: string,
  { settings = {}, ...options }: GitOptions = {},
): Deno.Command {
  return new Deno.Command("git", {
    args: ["--no-pager", ...args],
    cwd,
    env: { ...ENVIRONMENT, ...settingsEnvironment({ ...SETTINGS, ...settings }) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...options,
  });
}

/**
 * Returns settings that disable the filters and hooks of a repository's own configuration. Those of the user and the
 * system, such as Git LFS, stay.
 *
 * @throws {InputError} if git cannot list them
 */
export async function withoutPrograms(cwd: string, options: GitOptions = {}): Promise<Record<string, string>> {
  const args = ["config", "--show-scope", "--null", "--name-only", "--get-regexp", "^(filter|hook)\\."];
  const { code, stdout, stderr } = await gitCommand(args, cwd, options).output();
  const decoder = new TextDecoder();
  // Status 1 means that there are none
  if (code > 1) throw new InputError(`git config: ${decoder.decode(stderr).trim() || `ended with status ${code}`}`);
  const words = decoder.decode(stdout).split("\0");
  const names = words.filter((_, i) => i % 2 === 1 && !/^(system|global)$/.test(words[i - 1]!));
  return Object.fromEntries(names.flatMap((name) => {
    const { filter, hook } = PROGRAM.exec(name)?.groups ?? {};
    if (filter !== undefined) return ["clean", "smudge", "process"].map((part) => [filter + part, ""]);
    return hook === undefined ? [] : [[`${hook}enabled`, "false"]];
  }));
}

/**
 * Describes the commit of a folder.
 *
 * @param changes false to ask for the commit alone
 */
export async function gitState(folder: string, changes: boolean): Promise<GitState> {
  const signal = AbortSignal.timeout(LIMIT);
  const ask = async (args: readonly string[], settings = {}) => {
    const { success, stdout } = await gitCommand(args, folder, { settings, signal }).output();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  };
  try {
    const commit = await ask(["rev-parse", "--short=12", "HEAD"]);
    if (commit === null || !changes) return { git: commit, gitDirty: null };
    const status = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty", "--no-renames"];
    const changed = await ask(status, await withoutPrograms(folder, { signal }));
    if (changed === null) return { git: commit, gitDirty: null };
    return { git: changed === "" ? commit : `${commit}-dirty`, gitDirty: changed !== "" };
  } catch {
    return { git: null, gitDirty: null }; // git is missing, or may not run
  }
}

/** Returns variables that add settings to those of the environment. Names may contain `=`, unlike with `-c`. */
function settingsEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const first = Number(Deno.env.get("GIT_CONFIG_COUNT") ?? 0) || 0;
  const entries = Object.entries(settings);
  return Object.fromEntries([
    ...entries.map(([name], i) => [`GIT_CONFIG_KEY_${first + i}`, name]),
    ...entries.map(([, value], i) => [`GIT_CONFIG_VALUE_${first + i}`, value]),
    ["GIT_CONFIG_COUNT", String(first + entries.length)],
  ]);
}
