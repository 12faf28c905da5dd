/**
 * Bundles the HTML report's client into one script, which is kept in the repository so that no report needs a bundler.
 *
 *     deno task bundle
 *
 * @module
 */
import { join } from "node:path";
import { build, stop, transform } from "./packages/esbuild.ts";

const root = join(import.meta.dirname!, "..");
const ENTRY = "runtime/report/html/client/main.ts";

/** The bundle that is kept, relative to the root. */
export const BUNDLE = "runtime/report/html/client.js";

/** Returns the client as one script, readable and the same for the same sources on every machine. */
export async function bundleClient(): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [ENTRY],
      absWorkingDir: root,
      bundle: true,
      alias: { "string-width": "./runtime/report/html/client/text_width.ts" },
      write: false,
      format: "iife",
      target: "es2022",
      charset: "utf8",
      legalComments: "none",
      banner: { js: `// Generated from ${ENTRY} by: deno task bundle` },
    });
    return outputFiles[0]!.text;
  } finally {
    await stop();
  }
}

/** Returns why the bundler does not start on this machine, or null. */
export async function bundlerProblem(): Promise<string | null> {
  try {
    await transform("");
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await stop();
  }
}

if (import.meta.main) await Deno.writeTextFile(join(root, BUNDLE), await bundleClient());
