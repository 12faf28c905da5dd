/**
 * Compiles every kernel that the tests generate with Tint, the WGSL compiler of Chromium and Dawn, and prints each one
 * that it refuses.
 *
 *     deno task tint                    # kernels of all ops, optimizers, device transforms and of the engine
 *     deno task tint tests/ops conv2d   # kernels of the test files whose path has one of these words
 *
 * A new op is covered by its test: {@linkcode file://./tint/recorder.ts} is preloaded into the test files.
 *
 * @module
 */
import { join } from "node:path";
import { testFiles } from "./support/test_files.ts";
import { ALL_OPS } from "../runtime/nn/all_ops.ts";
import { readKernels } from "./tint/kernel_file.ts";
import { FOLDER_VARIABLE } from "./tint/recorder.ts";
import { openNullDevice, refusals } from "./tint/validate.ts";

/** Folders of tests that together build every op, optimizer, device transform and kernel of the engine. */
const OPS = "tests/ops";
const FILES = [
  OPS,
  "tests/engine",
  "tests/nn",
  "tests/trainer/evaluate_test.ts",
  "tests/data/transforms/device_chain_test.ts",
];

/** Time without a finished test after which the tests of one kind of kernels end, in ms. */
const STILL = 10 * 60_000;

const root = join(import.meta.dirname!, "..");

const paths = Deno.args.length === 0
  ? FILES
  : testFiles("tests", { all: true }).filter((file) => Deno.args.some((word) => file.includes(word)));
const unknown = Deno.args.filter((word) => !paths.some((file) => file.includes(word)));
if (unknown.length > 0) {
  console.error(`tint: no test file has ${unknown.join(", ")} in its path, such as tests/ops/conv2d_test.ts`);
  Deno.exit(2);
}

const device = await openNullDevice().catch((error: unknown) => {
  console.error(`Tint cannot run here: npm's package webgpu does not load (${error})`);
  Deno.exit(1);
});
const folder = await Deno.makeTempDir({ prefix: "tacho-tint-" });
try {
  await record(paths, "cpu");
  // The recorder generates the kernels of ops for both kinds of adapters in either run
  await record(paths.filter((path) => !path.startsWith(OPS)), "gpu");
  const recorded = readKernels(folder);
  const refused = await refusals(device, recorded);
  for (const { kernel, message } of refused) console.log(`refused: ${kernel}: ${message}`);
  // An op that is always a view, such as assign, has candidates without parameters and no kernel
  const missing = Deno.args.length > 0 ? [] : ALL_OPS.filter(({ type, candidates }) => {
    return candidates.length > 0 && !recorded.some(({ ops }) => ops.includes(type));
  });
  for (const { type } of missing) {
    console.log(`no kernel recorded for the op ${type}; expected a test in ${FILES.join(" or ")}`);
  }
  console.log(`tint: ${recorded.length} kernels, ${refused.length} refused`);
  Deno.exitCode = refused.length + missing.length > 0 ? 1 : 0;
} finally {
  device.destroy();
  await Deno.remove(folder, { recursive: true });
}

/**
 * Runs test files with kernels for a kind of adapter. Whether the tests pass does not matter here: the recorder has taken
 * their dispatches and assertions away.
 */
async function record(paths: readonly string[], kernels: string): Promise<void> {
  if (paths.length === 0) return;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-A",
      "--no-check",
      "--quiet",
      "--lock=tests/deno.lock",
      "--preload=tests/tint/recorder.ts",
      ...paths,
    ],
    cwd: root,
    env: {
      [FOLDER_VARIABLE]: folder,
      TACHO_KERNELS: kernels,
      TACHO_TESTS: "full",
      DENO_WEBGPU_BACKEND: "vulkan",
      XDG_RUNTIME_DIR: "/tmp",
    },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log(`TACHO_KERNELS=${kernels}: no test ended for ${STILL / 60_000} minutes; kernels are missing`);
      child.kill("SIGKILL");
    }, STILL);
  };
  watch();
  for await (const _ of child.stdout) watch();
  await child.status;
  clearTimeout(timer);
}
