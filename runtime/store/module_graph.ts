import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../core/errors.ts";

/** A module of a graph. */
export interface GraphModule {
  readonly url: string;
  /** Why it cannot be used: it is not there, cannot be parsed, or imports what cannot be found. */
  readonly problem: string | null;
  readonly imports: readonly GraphImport[];
}

export interface GraphImport {
  /** As it is written. */
  readonly specifier: string;
  /** Where it leads, before redirects. */
  readonly url: string;
}

/** What `deno info --json` tells of a module. */
interface Described {
  readonly kind?: string;
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly Dependency[];
}

interface Dependency {
  readonly specifier: string;
  readonly code?: { readonly specifier?: string; readonly error?: string };
  readonly type?: { readonly specifier?: string };
  readonly isDynamic?: boolean;
}

/**
 * The modules that local files import, directly or not, as Deno resolves them with the configuration above them.
 *
 * @param entries addresses of the files
 * @throws {InputError} if Deno cannot tell
 */
export async function moduleGraph(entries: readonly string[]): Promise<GraphModule[]> {
  const modules = (await Promise.all(entries.map(describe))).flat();
  const unique = new Map(modules.map((module) => [module.specifier, module]));
  return [...unique.values()].map(({ specifier, error, dependencies = [] }) => ({
    url: specifier,
    problem: error?.split("\n")[0] ?? dependencies.find(isLost)?.code?.error ?? null,
    imports: dependencies.flatMap(({ specifier, code, type }) => {
      const url = code?.specifier ?? type?.specifier;
      return url === undefined ? [] : [{ specifier, url }];
    }),
  }));
}

/** Whether an import leads nowhere. What is imported when it is needed may be missing. */
function isLost({ code, isDynamic = false }: Dependency): boolean {
  return code?.error !== undefined && !isDynamic;
}

async function describe(entry: string): Promise<readonly Described[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // The lock file is the user's, to be left as it is
    args: ["info", "--json", "--quiet", "--no-lock", entry],
    // Where "deno run" looks for the configuration
    cwd: dirname(fileURLToPath(entry)),
    env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) {
    throw new InputError(`${entry}: Deno cannot tell what it imports: ${decoder.decode(stderr).trim().split("\n")[0]}`);
  }
  return JSON.parse(decoder.decode(stdout)).modules;
}
