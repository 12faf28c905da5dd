/**
 * Entry point of the process that compiles kernels for one GPU: the driver ends it where it does not know the family, and a
 * kernel may crash the compiler. Its arguments are the driver's library; the family is in RADV_FORCE_FAMILY. It answers
 * the first request with the driver's facts.
 *
 * @module
 */
import { serveLines } from "../serve_lines.ts";
import { compileKernel, type DriverKernel } from "./compile.ts";
import { Vulkan } from "./vulkan.ts";

let vulkan: Vulkan | null = null;
await serveLines((request) => {
  try {
    if (vulkan === null) return (vulkan = new Vulkan(Deno.args[0]!)).facts;
    return compileKernel(vulkan, request as DriverKernel);
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
});
Deno.exit(0); // without the driver's clean-up
