import { InputError } from "../../core/errors.ts";
import { Checkouts } from "./checkouts.ts";
import { checkPackageUse } from "./package_use.ts";
import { isPackage, packageVersion } from "./package_version.ts";
import type { Version } from "./version.ts";
import type { Workload } from "./workload.ts";

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
