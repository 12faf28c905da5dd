import { join, relative } from "node:path";

/** Root folder of the repository. */
export const ROOT = join(import.meta.dirname!, "../..");

/** A fenced block of a Markdown page. */
export interface Block {
  /** Path of the page from the root, and the line of the opening fence. */
  readonly page: string;
  readonly line: number;
  /** Info string of the fence, such as `ts`. */
  readonly language: string;
  readonly text: string;
}

/** Paths of the README and of every page in `docs/`, from the root. */
export function pages(): string[] {
  const walk = (folder: string): string[] =>
    [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) => {
      const path = join(folder, name);
      return isDirectory ? walk(path) : name.endsWith(".md") ? [path] : [];
    });
  return ["README.md", ...walk("docs").sort()];
}

/** Reads the fenced blocks of a page in order. */
export function blocksOf(page: string): Block[] {
  const lines = Deno.readTextFileSync(join(ROOT, page)).split("\n");
  const blocks: Block[] = [];
  let open: { line: number; language: string; from: number } | null = null;
  for (const [i, line] of lines.entries()) {
    const fence = line.match(/^\s*```(\w*)\s*$/);
    if (fence === null) continue;
    if (open === null) open = { line: i + 1, language: fence[1]!, from: i + 1 };
    else {
      const { line, language, from } = open;
      blocks.push({ page: relative(".", page), line, language, text: `${lines.slice(from, i).join("\n")}\n` });
      open = null;
    }
  }
  if (open !== null) throw new Error(`${page}:${open.line}: the block is not closed`);
  return blocks;
}

/** Blocks of all pages in one of `languages`. */
export function allBlocks(...languages: readonly string[]): Block[] {
  return pages().flatMap(blocksOf).filter(({ language }) => languages.includes(language));
}

/** The commands of a shell block without comments, one per line or joined by `&&`. */
export function commandsOf({ text }: Block): string[] {
  return text.split("\n").map((line) => line.replace(/(^|\s)# .*$/, "").trim()).filter((line) => line !== "")
    .flatMap((line) => line.split(" && "));
}
