/** Depth of stacks in which the program's own line is looked for. */
const DEPTH = 100;

/** Matches files of packages, in `node_modules` or in Deno's cache. */
const PACKAGE = /\/node_modules\/|\/npm\/[^/]+\/(@[^/]+\/)?[^/]+\/\d+\.\d+\.\d+[^/]*\//;

/** Folder of this module, whose frames are not the program's. */
const OWN = import.meta.url.replace(/[^/]*$/, "");

/**
 * Returns the innermost line of the program that called WebGPU, as `file.ts:12`: the first frame outside packages and the
 * runtime. Returns null if there is none.
 */
export function callSite(): string | null {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = DEPTH;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  for (const frame of stack.split("\n").slice(1)) {
    const [, url, line] = /\(?((?:file|https?|data|blob):[^\s)]+?):(\d+):\d+\)?$/.exec(frame) ?? [];
    if (url === undefined || line === undefined || url.startsWith(OWN)) continue;
    if (PACKAGE.test(url)) continue;
    return `${decodeURIComponent(url.split("?")[0]!.split("/").at(-1) ?? url)}:${line}`;
  }
  return null;
}
