/**
 * naga, the WGSL compiler of wgpu, as a package for WebAssembly. It is imported by a name that Deno does not find before the
 * run, so that only who needs it downloads it, and by its files' hashes, since the package is young.
 *
 * @module
 */
import { DeviceError } from "../../core/errors.ts";
import { readFile } from "../../core/files.ts";
import { sha256 } from "../../core/sha256.ts";
import { reasonOf } from "../../core/shown.ts";

/** Name and version of the package, and of naga in it. */
export const PACKAGE = "wgsl-wasm-transpiler-bundler@0.0.1";
export const NAGA = "naga 25.0.1";

const CODE = "wgsl_wasm_transpiler_bg.js";
const BINARY = "wgsl_wasm_transpiler_bg.wasm";
const HASHES: Readonly<Record<string, string>> = {
  [CODE]: "abcf902c7be889f11a06acfc0214f20b2c3c0e56721e716ad85b28504ffa167d",
  [BINARY]: "4e36513e19c045dfd1bf2dc51eb4bd83d4d9269df0094a191602f737fd720baa",
};

/** Functions of the package. The module imports the rest. */
interface Glue {
  readonly __wbg_set_wasm: (exports: WebAssembly.Exports) => void;
  readonly compileShader: (wgsl: string, format: string) => string;
}

/** Compiles WGSL to SPIR-V. Throws a string where naga refuses it. */
export type Compile = (wgsl: string) => Uint8Array<ArrayBuffer>;

/**
 * Loads naga, after a comparison of the package's files with those that were tried.
 *
 * @throws {DeviceError} if the package cannot be loaded, or differs
 */
export async function loadNaga(): Promise<Compile> {
  const module = ["npm:", PACKAGE, "/", CODE].join("");
  let glue: Glue;
  let folder: string;
  try {
    glue = await import(module) as Glue;
    folder = import.meta.resolve(module);
  } catch (cause) {
    throw new DeviceError(
      `tacho isa needs naga, npm's ${PACKAGE}, which cannot be loaded (${
        reasonOf(cause)
      }). Connect to npm's registry ` +
        `once, or copy the package to Deno's cache: deno cache npm:${PACKAGE}`,
      { cause },
    );
  }
  const bytes = (name: string) => readFile(new URL(name, folder));
  for (const [name, expected] of Object.entries(HASHES)) {
    const found = sha256(bytes(name));
    if (found === expected) continue;
    throw new DeviceError(
      `npm's ${PACKAGE} is not the one that was tried: ${name} has the SHA-256 ${found}; expected ${expected}`,
    );
  }
  const wasm = new WebAssembly.Module(bytes(BINARY));
  const start = () => {
    const { exports } = new WebAssembly.Instance(wasm, { [`./${CODE}`]: glue as unknown as WebAssembly.ModuleImports });
    glue.__wbg_set_wasm(exports);
    (exports["__wbindgen_start"] as () => void)();
  };
  start();
  return (wgsl) => {
    try {
      return Uint8Array.fromBase64(glue.compileShader(wgsl, "spirv"));
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      start(); // after a panic, its memory may be inconsistent
      throw `naga panics on this code (${error.message})`;
    }
  };
}
