/**
 * Compiles every kernel that the tests generate with Tint, the WGSL compiler of Chromium and Dawn, and prints each one
 * that it refuses.
 *
 *     deno task tint                    # kernels of the test files that build ops, plans and optimizers
 *     deno task tint tests/ops/conv2d   # of files whose path has one of these words
 *
 * The test files run as usual, with {@linkcode file://./tint/recorder.ts} preloaded, so a new op is covered by its test.
 *
 * @module
 */
import { join } from "node:path";
import { ALL_OPS } from "../runtime/nn/all_ops.ts";
import { readKernels } from "./tint/kernel_file.ts";
import { FOLDER_VARIABLE } from "./tint/recorder.ts";
import { openNullDevice, refusals } from "./tint/validate.ts";

/** Test files that together build every op, optimizer, device transform and kernel of the engine. */
const FILES = ["tests/ops/", "tests/engine/", "tests/nn/optimizers/", "tests/nn/losses/", "device_chain_test"]
  .concat("measure_peaks_test", "tests/compile/");

const root = join(import.meta.dirname!, "..");

const device = await openNullDevice().catch((error: unknown) => {
  console.error(`Tint cannot run here: npm's package webgpu does not load (${error})`);
  Deno.exit(1);
});
const folder = await Deno.makeTempDir({ prefix: "tacho-tint-" });
try {
  for (const kernels of ["cpu", "gpu"]) await record(Deno.args.length === 0 ? FILES : Deno.args, kernels);
  const recorded = readKernels(folder);
  const refused = await refusals(device, recorded);
  for (const { kernel, message } of refused) console.log(`refused: ${kernel}: ${message}`);
  const missing = ALL_OPS.filter(({ type }) => !recorded.some(({ ops }) => ops.includes(type))).map(({ type }) => type);
  if (Deno.args.length === 0 && missing.length > 0) console.log(`no kernel recorded for: ${missing.join(", ")}`);
  console.log(`tint: ${recorded.length} kernels, ${refused.length} refused`);
  Deno.exitCode = refused.length > 0 ? 1 : 0;
} finally {
  device.destroy();
  await Deno.remove(folder, { recursive: true });
}

/** Runs test files with kernels for a kind of adapter. */
async function record(words: readonly string[], kernels: string): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tests/run.ts", "--preload=tests/tint/recorder.ts", ...words],
    cwd: root,
    env: { [FOLDER_VARIABLE]: folder, TACHO_KERNELS: kernels },
  }).output();
  if (!success) console.log(`some tests failed with TACHO_KERNELS=${kernels}; their later kernels are missing`);
}
