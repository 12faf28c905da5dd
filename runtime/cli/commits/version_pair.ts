import { InputError } from "../../core/errors.ts";
import { Checkouts } from "./checkouts.ts";
import { isPackage, type PackageVersion, packageVersion } from "./package_version.ts";
import type { Version } from "./version.ts";
import type { Workload } from "./workload.ts";
import { join } from "node:path";
import { z } from "zod";

/** Options of {@linkcode withVersions}. */
export interface VersionsOptions {
  readonly workload: Workload;
  /** Words of a command to run in each checkout first; empty for none. */
  readonly setup: readonly string[];
  /** Called with a sentence that the user should know. */
  onWarning(message: string): void;
}

/**
 * Calls `use` with two versions: commits that are checked out, or versions of a package. Removes them afterwards.
 *
 * @throws {InputError} if a version does not exist, one is a package and the other a commit, they are of two packages, or
 *   the workload imports another version of the package
 */
export async function withVersions<T>(
  [first, second]: readonly [string, string],
  { workload, setup, onWarning }: VersionsOptions,
  use: (before: Version, after: Version) => Promise<T>,
): Promise<T> {
  if (isPackage(first) !== isPackage(second)) {
    throw new InputError(`Expected two commits or two versions of a package, got "${first}" and "${second}"`);
  }
  if (!isPackage(first)) {
    await using checkouts = await Checkouts.open(Deno.cwd(), setup);
    return await use(await checkouts.add(first), await checkouts.add(second));
  }
  if (setup.length > 0) throw new InputError("--setup: packages are not checked out; leave it out");
  const folder = await Deno.makeTempDir({ prefix: "tacho-commits-" });
  try {
    const [before, after] = [
      await packageVersion(first, Deno.cwd(), folder),
      await packageVersion(second, Deno.cwd(), folder),
    ];
    if (before.package.name !== after.package.name) {
      throw new InputError(
        `Expected two versions of one package, got ${before.package.name} and ${after.package.name}; tacho versus ` +
          "compares programs that use different packages",
      );
    }
    for (const version of [before, after]) {
      const warning = await checkPackageUse(workload, version);
      if (warning !== null) onWarning(`${version.name}: ${warning}`);
    }
    return await use(before, after);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const graphSchema = z.looseObject({
  modules: z.array(z.looseObject({ specifier: z.string() })),
  npmPackages: z.record(z.string(), z.looseObject({ name: z.string(), version: z.string() })).default({}),
});

/** Matches a version that names one release. */
const EXACT = /^\d+\.\d+\.\d+/;

/**
 * Checks that a workload imports the selected version of a package, and no other one. Returns a sentence for the user if it
 * shows no import of it; null if it does.
 *
 * @throws {InputError} if it imports another version
 */
export async function checkPackageUse(workload: Workload, version: PackageVersion): Promise<string | null> {
  const file = fileOf(workload);
  if (file === null) return null;
  const { name, loaded } = version.package;
  const graph = await moduleGraph(join(version.cwd, file), version);
  if (graph === null) return null; // the program reports what is wrong with it
  const imported = graph.modules.flatMap(({ specifier }) => {
    const found = /^npm:\/?(@?[^@/]+(?:\/[^@/]+)?)@([^/_]+)/.exec(specifier);
    return found?.[1] === name ? [found[2]!] : [];
  });
  const isLocal = loaded.startsWith("file:");
  const wanted = loaded.slice(name.length + 1);
  const other = imported.find((each) => isLocal || (EXACT.test(wanted) && each !== wanted));
  if (other !== undefined) {
    throw new InputError(
      `${version.name}: ${file} imports npm:${name}@${other}; import it as "${name}" or "npm:${name}", without a version, ` +
        "so that a version can be selected",
    );
  }
  const isUsed = isLocal ? graph.modules.some(({ specifier }) => specifier.startsWith(loaded)) : imported.length > 0;
  return isUsed
    ? null
    : `${file} has no import of ${name} that can be seen before it runs; are both versions the same?`;
}

/** Returns the script of a workload; null if its command names none. */
function fileOf(workload: Workload): string | null {
  if (workload.kind === "script") return workload.file;
  return workload.words.find((word) => /\.[cm]?[jt]sx?$/.test(word)) ?? null;
}

/** Returns the modules that a script imports in a version; null if Deno cannot tell. */
async function moduleGraph(file: string, { flags, cwd }: PackageVersion): Promise<z.infer<typeof graphSchema> | null> {
  const args = ["info", "--json", ...flags, file];
  const { success, stdout } = await new Deno.Command(Deno.execPath(), { args, cwd, stdin: "null" }).output();
  if (!success) return null;
  try {
    const graph = graphSchema.safeParse(JSON.parse(new TextDecoder().decode(stdout)));
    return graph.success ? graph.data : null;
  } catch {
    return null;
  }
}
