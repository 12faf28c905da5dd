/**
 * Bundles modules that run outside Deno into scripts, which are kept in the repository, so that nobody needs a bundler to
 * use them.
 *
 *     deno task bundle
 *
 * @module
 */
import { join } from "node:path";
import { build, type BuildOptions, stop, transform } from "./packages/esbuild.ts";

const root = join(import.meta.dirname!, "..");

/** A module and the script that is bundled from it, relative to the root. */
export interface Bundle {
  readonly entry: string;
  readonly script: string;
  readonly options: BuildOptions;
}

/** WebGPU's names in the recorder, which Node does not know. */
const WEBGPU = [
  ...["GPU", "GPUAdapter", "GPUBuffer", "GPUBufferUsage", "GPUCommandEncoder", "GPUComputePassEncoder", "GPUDevice"],
  ...["GPUMapMode", "GPUQueue", "GPUSupportedFeatures", "GPUTexture"],
];

/** Options of scripts of pages. */
const PAGE: BuildOptions = {
  format: "iife",
  target: "es2022",
  plugins: [{
    name: "widths of texts in a page",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/text_width\.ts$/ }, () => ({
        path: join(root, "runtime/report/html/client/text_width.ts"),
      })),
  }],
};

/** Characters of a line, after which it ends where it can, so that editors and diffs can show it. */
const LINE_LIMIT = 1000;

/** Address of the recorder in a page, by which it knows its own frames in stack traces. */
const PAGE_RECORDER = "tacho:/recorder.js";

/** The scripts. */
export const BUNDLES: readonly Bundle[] = [
  { entry: "runtime/report/html/client/main.ts", script: "runtime/report/html/client.js", options: PAGE },
  { entry: "runtime/serve/client/main.ts", script: "runtime/serve/client.js", options: PAGE },
  {
    entry: "runtime/attach/node/preload.ts",
    script: "runtime/attach/node.js",
    options: {
      format: "esm",
      platform: "node",
      target: "node20",
      inject: ["runtime/attach/node/webgpu.ts"],
      define: Object.fromEntries(WEBGPU.map((name) => [name, `webgpu.${name}`])),
    },
  },
  {
    entry: "runtime/attach/page/recorder.ts",
    script: "runtime/attach/page.js",
    options: {
      format: "iife",
      target: "es2022",
      define: { "import.meta.url": JSON.stringify(PAGE_RECORDER) },
      footer: { js: `//# sourceURL=${PAGE_RECORDER}` },
    },
  },
];

/** Returns a bundled script, minified and the same for the same sources on every machine. */
export async function bundle({ entry, options }: Bundle): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [entry],
      absWorkingDir: root,
      bundle: true,
      minify: true,
      lineLimit: LINE_LIMIT,
      write: false,
      charset: "utf8",
      legalComments: "none",
      banner: { js: `// Generated from ${entry} by: deno task bundle` },
      ...options,
    });
    return outputFiles![0]!.text;
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

if (import.meta.main) {
  for (const each of BUNDLES) await Deno.writeTextFile(join(root, each.script), await bundle(each));
}
