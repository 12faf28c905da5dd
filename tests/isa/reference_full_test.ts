/**
 * The package with naga beside the SPIR-V that Deno's wgpu passes to a driver. A driver in C writes it down, so the test needs
 * a C compiler, and lavapipe for wgpu to run on.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findDrivers } from "../../runtime/device/vulkan/drivers.ts";
import { dryRun } from "../../runtime/experiment/run_experiment.ts";
import { estimateKernels } from "../../runtime/isa/estimate.ts";
import { findGpu } from "../../runtime/isa/gpus.ts";
import type { Translator } from "../../runtime/isa/naga/translator.ts";
import type { KernelSource } from "../../runtime/isa/types.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { isInstalled } from "../support/is_installed.ts";
import gpt from "../../scripts/gpt.ts";
import resnet from "../../scripts/resnet.ts";
import { missingCompiler } from "./driver.ts";

const lavapipe = findDrivers().find(({ library }) => library !== null && /lvp/.test(library))?.library ?? null;

Deno.test({
  name: "estimates of the package's SPIR-V equal those of what wgpu passes to a driver",
  ignore: missingCompiler !== null || lavapipe === null || !await isInstalled("gcc"),
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "tacho-isa-" });
    try {
      const sources = [...await kernelsOf(gpt, ["amp=O0"]), ...await kernelsOf(resnet, ["amp=O2"])];
      const captured = await capture(folder, sources);
      const gpus = [findGpu("navi21")];
      const own = await estimateKernels(sources, { gpus });
      const reference = await estimateKernels(sources, { gpus, translator: reading(captured) });
      const ratios = own.rows.map(({ figures, error, kernel }, i) => {
        const other = reference.rows[i]!.figures;
        assert.ok(figures !== null && other !== null, `${kernel}: ${error ?? reference.rows[i]!.error}`);
        return {
          kernel,
          instructions: figures.instructions! / other.instructions!,
          registers: figures.vectorRegisters! / other.vectorRegisters!,
        };
      });
      assert.ok(ratios.length > 40, `${ratios.length} kernels`);
      for (const figure of ["instructions", "registers"] as const) {
        const sorted = ratios.toSorted((a, b) => a[figure] - b[figure]);
        const median = sorted[sorted.length >> 1]![figure];
        const ends = [sorted[0]!, sorted.at(-1)!].map((each) => `${each.kernel} ${each[figure].toFixed(3)}`).join(", ");
        console.log(`${figure}, package / wgpu: median ${median.toFixed(3)}; ${ends}`);
        const drift = "the package's naga differs from Deno's; say so in docs/guide/isa.md, or replace the package";
        assert.ok(Math.abs(median - 1) < 0.03, `median of ${figure} is ${median}: ${drift}`);
        assert.ok(sorted.every((each) => each[figure] > 0.75 && each[figure] < 1.34), `${ends}: ${drift}`);
      }
      const flags = new Set(Deno.readTextFileSync(join(folder, "flags")).trim().split("\n"));
      assert.deepEqual([...flags], ["1"], "wgpu lets subgroups have any size");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

async function kernelsOf(
  scenario: Parameters<typeof resolveScenario>[0],
  overrides: string[],
): Promise<KernelSource[]> {
  const { variants } = await dryRun(resolveScenario(scenario, { overrides, variants: ["baseline"] }), {
    kernels: true,
  });
  return variants[0]!.kernels!;
}

/** Returns the SPIR-V that wgpu makes of each kernel. */
async function capture(
  folder: string,
  sources: readonly KernelSource[],
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const library = join(folder, "capture.so");
  const source = join(import.meta.dirname!, "capture_driver.c");
  const gcc = await new Deno.Command("gcc", { args: ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"] })
    .output();
  assert.equal(gcc.code, 0, new TextDecoder().decode(gcc.stderr));
  const [manifest, kernels] = ["icd.json", "kernels.json"].map((name) => join(folder, name)) as [string, string];
  const icd = { file_format_version: "1.0.0", ICD: { library_path: library, api_version: "1.3.0" } };
  await Deno.writeTextFile(manifest, JSON.stringify(icd));
  await Deno.writeTextFile(kernels, JSON.stringify(sources));
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-lock", join(import.meta.dirname!, "capture_program.ts"), kernels, folder],
    env: { CAPTURE_FOLDER: folder, REAL_DRIVER: lavapipe!, VK_DRIVER_FILES: manifest, DENO_WEBGPU_BACKEND: "vulkan" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const written = JSON.parse(new TextDecoder().decode(stdout)) as string[][];
  return new Map(written.map((files, i) => {
    assert.equal(files.length, 1, `${sources[i]!.name}: ${files}`);
    return [sources[i]!.wgsl, Deno.readFileSync(join(folder, files[0]!))];
  }));
}

/** Returns a translator that knows the SPIR-V of each kernel. */
function reading(captured: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Translator {
  return {
    version: "wgpu",
    toSpirv: (wgsl) => Promise.resolve(captured.get(wgsl)!),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
