/** Matches `new URL("./worker.ts", import.meta.url)` and `import.meta.resolve("./samples.ts")` with a literal. */
const MENTION =
  /\bnew\s+URL\(\s*(["'`])(\.{1,2}\/[^"'`$]+)\1\s*,\s*import\.meta\.url\s*\)|\bimport\.meta\.resolve\(\s*(["'`])(\.{1,2}\/[^"'`$]+)\3\s*\)/g;

/** Maximum size in bytes; larger files are data, not modules. */
const LARGEST = 2 ** 20;

/** Returns the URLs of text files that a module names besides its imports, such as a worker or a list of classes. */
export async function mentionedFiles(url: string, source: Uint8Array): Promise<string[]> {
  const text = new TextDecoder().decode(source);
  const mentioned = [...text.matchAll(MENTION)].map((match) => new URL(match[2] ?? match[4]!, url).href);
  const files = await Promise.all([...new Set(mentioned)].map(async (file) => await isText(file) ? [file] : []));
  return files.flat();
}

async function isText(url: string): Promise<boolean> {
  try {
    const { isFile, size } = await Deno.stat(new URL(url));
    if (!isFile || size > LARGEST) return false;
    new TextDecoder("utf-8", { fatal: true }).decode(await Deno.readFile(new URL(url)));
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
