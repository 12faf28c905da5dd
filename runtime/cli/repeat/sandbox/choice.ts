import { Option } from "@commander-js/extra-typings";
import { InputError } from "../../../core/errors.ts";
import type { Recipe } from "../recipe.ts";

export const SANDBOX = new Option("--sandbox", "run the script in a sandbox, as the script of a lock file");

export const TRUST = new Option("--trust", "run the script with all permissions, without a sandbox");

/** Files and folders that the sandbox lets a script read; several times for several. */
export const READ = new Option("--read <path>", "let the sandboxed script read a file or folder; repeat it for others")
  .argParser((path: string, all: readonly string[]) => [...all, path])
  .default([] as readonly string[], "none");

/** The user's choice of permissions. */
export interface SandboxChoice {
  readonly sandbox?: true | undefined;
  readonly trust?: true | undefined;
  /** Absolute paths that the script may read. */
  readonly readable: readonly string[];
}

/**
 * Returns the restrictions for a recipe's script, or null if it runs with all permissions.
 *
 * @throws {InputError} if the flags contradict each other
 */
export function restrictedBy(
  { sandbox, trust, readable }: SandboxChoice,
  { trusted }: Pick<Recipe, "trusted">,
): { readonly readable: readonly string[] } | null {
  if (sandbox && trust) throw new InputError("--sandbox and --trust contradict each other; omit one of the two flags");
  const all = trust ?? (trusted && !sandbox);
  if (all && readable.length > 0) throw new InputError("--read: the script runs with all permissions; omit it");
  return all ? null : { readable };
}

/** Separates the flags of the sandbox from a script's arguments; null without `--sandbox`, when they are the script's. */
export function takeSandboxFlags(
  args: readonly string[],
): { readonly readable: readonly string[]; readonly args: readonly string[] } | null {
  if (!args.includes("--sandbox")) return null;
  const readable: string[] = [];
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--sandbox") continue;
    const value = arg.startsWith("--read=") ? arg.slice("--read=".length) : arg === "--read" ? args[++i] ?? "" : null;
    if (value === "") throw new InputError("--read: expected the path of a file or folder");
    if (value === null) rest.push(arg);
    else readable.push(value);
  }
  return { readable, args: rest };
}
