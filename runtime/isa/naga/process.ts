/**
 * Entry point of the process that compiles WGSL to SPIR-V: a package that others wrote gets no permission but to read.
 *
 * @module
 */
import { DeviceError } from "../../core/errors.ts";
import { serveLines } from "../serve_lines.ts";
import { type Compile, loadNaga } from "./package.ts";

let compile: Compile | DeviceError;
try {
  compile = await loadNaga();
} catch (error) {
  if (!(error instanceof DeviceError)) throw error;
  compile = error;
}
await serveLines((request) => {
  if (compile instanceof DeviceError) return { missing: compile.message };
  try {
    return { spirv: compile((request as { wgsl: string }).wgsl).toBase64() };
  } catch (error) {
    return { refused: String(error) };
  }
});
Deno.exit(0);
