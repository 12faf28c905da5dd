import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";

const infoSchema = z.looseObject({
  modules: z.array(z.looseObject({ specifier: z.string(), local: z.string().nullish() })),
  npmPackages: z.record(z.string(), z.looseObject({ name: z.string(), localPath: z.string().optional() })).optional(),
});

const foldersSchema = z.looseObject({ npmCache: z.string(), modulesCache: z.string() });

/** Deno project whose modules are cached. */
export interface CachedProject {
  /** Value of `DENO_DIR`: the folder to fill. */
  readonly cache: string;
  readonly config: string;
  readonly lock: string;
  /** Paths of the modules that processes start with. */
  readonly entries: readonly string[];
}

/**
 * Fills a cache of Deno with everything that modules import from the network: from the cache of this user, and from the
 * network if that lacks something. Modules are compiled there, too.
 *
 * @throws {InputError} if something can be found in neither
 */
export async function fillCache(project: CachedProject): Promise<void> {
  const { cache, config, lock, entries } = project;
  await Deno.mkdir(cache, { recursive: true });
  const folders = foldersSchema.parse(JSON.parse((await deno(["info", "--json", "--no-config"])).stdout));
  for (const entry of entries) {
    const { success, stdout } = await deno(["info", "--json", "--quiet", "--config", config, "--lock", lock, entry]);
    if (success) await copyKnown(infoSchema.parse(JSON.parse(stdout)), folders, cache);
  }
  const args = ["cache", "--quiet", "--config", config, "--lock", lock];
  const known = await deno([...args, "--cached-only", ...entries], cache);
  if (known.success) return;
  const { success, stderr } = await deno([...args, ...entries], cache);
  if (success) return;
  throw new InputError(
    `tacho bundle: Deno cannot cache what the script imports: ${stderr.trim().split("\n")[0]}; run the script here ` +
      "first, or bundle on a machine with a network",
  );
}

/** Copies the packages and remote modules of a module graph from the cache of this user. */
async function copyKnown(
  { modules, npmPackages = {} }: z.infer<typeof infoSchema>,
  { npmCache, modulesCache }: z.infer<typeof foldersSchema>,
  cache: string,
): Promise<void> {
  for (const { name, localPath } of Object.values(npmPackages)) {
    if (localPath === undefined || !isInside(npmCache, localPath)) continue;
    await copyTree(localPath, join(cache, "npm", relative(npmCache, localPath)));
    // Deno needs the registry's index of versions too
    const index = join(localPath.slice(0, localPath.lastIndexOf(name)), name, "registry.json");
    await copyTree(index, join(cache, "npm", relative(npmCache, index)));
  }
  for (const { specifier, local } of modules) {
    if (local == null || specifier.startsWith("file:") || !isInside(modulesCache, local)) continue;
    await copyTree(local, join(cache, "remote", relative(modulesCache, local)));
  }
}

/** Copies a file, or a folder with what is in it. Does nothing if it does not exist, or was copied before. */
export async function copyTree(from: string, to: string): Promise<void> {
  let found: Deno.FileInfo;
  try {
    found = await Deno.stat(from);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  if (!found.isDirectory) {
    await Deno.mkdir(dirname(to), { recursive: true });
    await Deno.copyFile(from, to);
    return;
  }
  if (await Deno.lstat(to).then(() => true, () => false)) return;
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) await copyTree(join(from, name), join(to, name));
}

function isInside(folder: string, path: string): boolean {
  return !relative(folder, path).startsWith("..");
}

async function deno(args: readonly string[], cache: string | null = null) {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", ...cache === null ? {} : { DENO_DIR: cache } },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
