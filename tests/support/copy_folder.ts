import { join } from "node:path";

/** Copies the files and folders in a folder, except those with names in `without`, and links. */
export async function copyFolder(from: string, to: string, without: readonly string[] = []): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (without.includes(name)) continue;
    if (isDirectory) await copyFolder(join(from, name), join(to, name), without);
    else if (isFile) await Deno.copyFile(join(from, name), join(to, name));
  }
}
