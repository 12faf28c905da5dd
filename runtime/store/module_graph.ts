import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../core/errors.ts";

/** A module in an import graph. */
export interface GraphModule {
  readonly url: string;
  /** Reason why it is unusable: it is missing, cannot be parsed, or has an import that cannot be found; else null. */
  readonly problem: string | null;
  readonly imports: readonly GraphImport[];
}

export interface GraphImport {
  /** Specifier as written. */
  readonly specifier: string;
  /** Resolved URL, before redirects. */
  readonly url: string;
}

/** A module in the output of `deno info --json`. */
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
 * Returns the modules that local files import, directly or indirectly, resolved with the nearest Deno configuration.
 *
 * @param entries URLs of the files
 * @param flags further flags of `deno info`
 * @throws {InputError} if Deno cannot resolve them
 */
export async function moduleGraph(
  entries: readonly string[],
  flags: readonly string[] = [],
): Promise<GraphModule[]> {
  const modules = (await Promise.all(entries.map((entry) => describe(entry, flags)))).flat();
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

/** Returns true for an import that cannot be found, unless it is dynamic. */
function isLost({ code, isDynamic = false }: Dependency): boolean {
  return code?.error !== undefined && !isDynamic;
}

async function describe(entry: string, flags: readonly string[]): Promise<readonly Described[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // Leaves the user's lock file unchanged
    args: ["info", "--json", "--quiet", "--no-lock", ...flags, entry],
    // The folder where "deno run" looks for the configuration
    cwd: dirname(fileURLToPath(entry)),
    env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) {
    throw new InputError(`${entry}: Deno cannot list its imports: ${decoder.decode(stderr).trim().split("\n")[0]}`);
  }
  return JSON.parse(decoder.decode(stdout)).modules;
}
