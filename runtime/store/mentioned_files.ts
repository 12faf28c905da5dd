import { readFile } from "../core/files.ts";

/** Matches `new URL("./worker.ts", import.meta.url)` and `import.meta.resolve("./samples.ts")` with a literal. */
const MENTION =
  /\bnew\s+URL\(\s*(["'`])(\.{1,2}\/[^"'`$]+)\1\s*,\s*import\.meta\.url\s*\)|\bimport\.meta\.resolve\(\s*(["'`])(\.{1,2}\/[^"'`$]+)\3\s*\)/g;

/** Maximum size in bytes; larger files are data, not modules. */
const LARGEST = 2 ** 20;

/** Returns the URLs of text files that a module names besides its imports, such as a worker or a list of classes. */
export function mentionedFiles(url: string, source: Uint8Array): string[] {
  const text = new TextDecoder().decode(source);
  const mentioned = [...text.matchAll(MENTION)].map((match) => new URL(match[2] ?? match[4]!, url).href);
  return [...new Set(mentioned)].filter(isText);
}

function isText(url: string): boolean {
  try {
    const { isFile, size } = Deno.statSync(new URL(url));
    if (!isFile || size > LARGEST) return false;
    new TextDecoder("utf-8", { fatal: true }).decode(readFile(new URL(url)));
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
