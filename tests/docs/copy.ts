import { join } from "node:path";
import { ROOT } from "./blocks.ts";

/** Copies the repository without Git's files into `folder`, as a fresh clone. */
export async function copyRepository(folder: string): Promise<void> {
  await copyFolder(ROOT, folder);
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (name.startsWith(".git") || name === "node_modules") continue;
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else if (isFile) await Deno.copyFile(join(from, name), join(to, name));
  }
}
