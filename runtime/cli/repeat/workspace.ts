import { dirname, join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { sha256 } from "../../core/sha256.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { tachoConfig, tachoLock } from "../../store/tacho_files.ts";
import { importMapOf } from "./import_map.ts";
import { packageOf, pinAlso, type Pinned } from "./pinned.ts";
import { checkModules } from "./module_paths.ts";

/** A temporary folder with stored modules, ready to run with this Tacho. */
export interface Workspace extends Disposable {
  readonly folder: string;
  readonly modules: readonly ModuleSource[];
  /** Path of the script's copy. */
  readonly script: string;
  /** Path of the Deno configuration that maps imports to Tacho. */
  readonly config: string;
  /** Path of Deno's lock file, with the package versions that Tacho was tested with. */
  readonly packages: string;
  /** SHA-256 of that lock file without what the modules pin. */
  readonly lockHash: string;
  /** Specifiers of Tacho's own packages, such as `npm:zod@4.6.7`. */
  readonly tachoPackages: readonly string[];
}

/**
 * Writes stored modules, with the script first, to a temporary folder, which is removed with the workspace.
 *
 * @param where origin of the modules, for messages
 * @param pinned hashes of what the modules import from the network
 * @throws {InputError} if a module is damaged or would be written outside the folder
 */
export async function openWorkspace(
  modules: readonly ModuleSource[],
  where: string,
  pinned: Pinned | null = null,
): Promise<Workspace> {
  checkModules(modules, where);
  const folder = await temporaryFolder();
  const close = () => Deno.removeSync(folder, { recursive: true });
  try {
    const home = join(folder, "modules");
    for (const { path, text } of modules) {
      const file = join(home, ...path.split("/"));
      await Deno.mkdir(dirname(file), { recursive: true });
      writeFile(file, text, { write: true, createNew: true });
    }
    const config = join(folder, "deno.json");
    const tacho = tachoConfig();
    const { imports, scopes } = importMapOf(modules, home);
    const merged = { ...tacho, imports: { ...tacho.imports, ...imports }, scopes };
    writeFile(config, JSON.stringify(merged, null, 2));
    const packages = join(folder, "packages.lock");
    const lock = await tachoLock();
    writeFile(packages, pinAlso(lock, pinned));
    const script = join(home, ...modules[0]!.path.split("/"));
    const tachoPackages = Object.values(tacho.imports).map(packageOf);
    const lockHash = sha256(lock);
    return { folder, modules, config, packages, lockHash, tachoPackages, script, [Symbol.dispose]: close };
  } catch (error) {
    close();
    if (error instanceof InputError) throw error;
    throw new InputError(`${where}: its modules cannot be written to ${folder}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function temporaryFolder(): Promise<string> {
  try {
    return await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-" }));
  } catch (cause) {
    throw new InputError(`Cannot create a temporary folder (${(cause as Error).message}); set another with TMPDIR`, {
      cause,
    });
  }
}
