import { join } from "node:path";
import { copyFolder } from "./copy_folder.ts";

/**
 * Copies downloaded packages to a folder for `DENO_DIR`, so that a test can install others beside them without a trace.
 *
 * @param packages names with versions, as in Deno's lock file: `zod@4.6.7`
 */
export async function copyNpmCache(packages: readonly string[], denoDir: string): Promise<void> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout)) as { npmCache: string };
  for (const { name: registry } of Deno.readDirSync(npmCache)) {
    for (const entry of packages) {
      const [, name, version] = entry.match(/^(@?[^@]+)@([^_]+)/)!;
      const [from, to] = [npmCache, join(denoDir, "npm")].map((folder) => join(folder, registry, name!));
      try {
        await copyFolder(join(from!, version!), join(to!, version!));
        await Deno.copyFile(join(from!, "registry.json"), join(to!, "registry.json"));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error; // it is in the cache of another registry
      }
    }
  }
}
