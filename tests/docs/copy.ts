import { copyFolder } from "../support/copy_folder.ts";
import { ROOT } from "./blocks.ts";

/** Copies the repository without Git's files into `folder`, as a fresh clone. */
export async function copyRepository(folder: string): Promise<void> {
  await copyFolder(ROOT, folder, [".git", ".gitattributes", ".gitignore", "node_modules"]);
}
