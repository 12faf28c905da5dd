import { join } from "node:path";
import { z } from "zod";
import { writeFile } from "../../core/files.ts";

const infoSchema = z.looseObject({ npmCache: z.string(), modulesCache: z.string(), denoDir: z.string() });

/** Folders of Deno for a sandboxed process. */
export interface DenoFolder {
  /** Value of `DENO_DIR`. */
  readonly folder: string;
  /** Folder of downloaded npm packages. */
  readonly packages: string;
}

/**
 * Creates a folder for `DENO_DIR` in which a process finds downloaded packages and compiled modules, but can keep nothing.
 * Deno lets every process write to `caches` and `localStorage`, whatever its permissions; they need a folder, and find a
 * file instead.
 *
 * @param parent folder to create it in
 */
export async function createDenoFolder(parent: string): Promise<DenoFolder> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-config"],
    cwd: parent,
    env: { DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stderr: "null",
  }).output();
  const { npmCache, modulesCache, denoDir } = infoSchema.parse(JSON.parse(new TextDecoder().decode(stdout)));
  const folder = join(parent, "deno");
  await Deno.mkdir(folder);
  writeFile(join(folder, "location_data"), "");
  const type = Deno.build.os === "windows" ? "junction" : "dir";
  const links = [["npm", npmCache], ["remote", modulesCache], ["gen", join(denoDir, "gen")]] as const;
  for (const [name, target] of links) {
    await Deno.mkdir(target, { recursive: true });
    await Deno.symlink(target, join(folder, name), { type });
  }
  return { folder, packages: await Deno.realPath(npmCache) };
}
