import { InputError } from "../../core/errors.ts";
import { Checkouts } from "./checkouts.ts";
import { isPackage, packageVersion } from "./package_version.ts";
import type { Version } from "./version.ts";

/**
 * Calls `use` with two versions: commits that are checked out, or versions of a package. Removes them afterwards.
 *
 * @param setup words of a command to run in each checkout first
 * @throws {InputError} if a version does not exist, or one is a package and the other a commit
 */
export async function withVersions<T>(
  [first, second]: readonly [string, string],
  setup: readonly string[],
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
    const [before, after] = [first, second].map((name) => packageVersion(name, Deno.cwd(), folder));
    return await use(await before!, await after!);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
