/** Programs in Node with npm's webgpu, where Node is installed, the package is in Deno's cache, and Dawn finds an adapter. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import type { AttachResult } from "@tacho/tacho/attach";
import { findChromium } from "../../support/chromium.ts";
import { Place } from "../tacho_process.ts";
import { NODE_PROGRAM } from "./node_program.ts";

const PROGRAM = "program.mjs";

/** Returns the newest npm's webgpu in Deno's cache; null without one. Tests do not download it. */
function cachedPackage(): string | null {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout)) as { npmCache: string };
  try {
    const versions = [...Deno.readDirSync(npmCache)].flatMap(({ name: registry }) => {
      const folder = join(npmCache, registry, "webgpu");
      try {
        return [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory).map(({ name }) =>
          join(folder, name)
        );
      } catch {
        return []; // another registry's folder
      }
    });
    return versions.sort().at(-1) ?? null;
  } catch {
    return null;
  }
}

/** Returns variables with which Dawn takes Chromium's software adapter, since it refuses that of some distributions. */
function adapterVariables(): Record<string, string> {
  for (const folder of [dirname(findChromium() ?? "."), "/usr/lib/chromium"]) {
    const file = join(folder, "vk_swiftshader_icd.json");
    try {
      if (Deno.statSync(file).isFile) return { VK_DRIVER_FILES: file };
    } catch {
      // not there
    }
  }
  return {};
}

const env = { XDG_RUNTIME_DIR: "/tmp", ...adapterVariables() };
const npmPackage = cachedPackage();

/** Makes a folder with the program and its package. */
async function makePlace(): Promise<Place> {
  const place = await Place.make();
  await Deno.mkdir(join(place.folder, "node_modules"));
  await Deno.symlink(npmPackage!, join(place.folder, "node_modules", "webgpu"));
  await place.write(PROGRAM, NODE_PROGRAM);
  return place;
}

/** Runs the program in Node, not recorded; null if it cannot run here. */
async function plainOutput(): Promise<string | null> {
  if (npmPackage === null) return null;
  await using place = await makePlace();
  try {
    const { success, stdout } = await new Deno.Command("node", { args: [PROGRAM], cwd: place.folder, env }).output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null; // Node is not installed
  }
}

const plain = await plainOutput();
const ignore = plain === null;
if (ignore) console.error("Tests of Node are skipped: Node, npm's webgpu in Deno's cache, or an adapter is missing");

Deno.test({
  name: "a program in Node is recorded, with the same output, counts, and times",
  ignore,
  async fn() {
    await using place = await makePlace();
    const args = ["attach", "--stack", "--json", "out.json", "--no-store", "--", "node", PROGRAM];
    const { code, stdout, stderr } = await place.tacho(args, env);
    deepStrictEqual([code, stdout], [0, plain], stderr);
    match(stderr, /6 steps: the same kernels repeat every wait/);
    const { complete, devices } = JSON.parse(Deno.readTextFileSync(join(place.folder, "out.json"))) as AttachResult;
    const [device] = devices;
    deepStrictEqual([complete, devices.length, device!.steps.steps.length], [true, 1, 6]);
    const { submits, dispatches, waits, reads, readBytes, uploads, uploadBytes, copies, buffers, pipelines } =
      device!.totals;
    deepStrictEqual(
      { submits, dispatches, waits, reads, readBytes, uploads, uploadBytes, copies, buffers, pipelines },
      {
        ...{ submits: 6, dispatches: 18, waits: 6, reads: 6, readBytes: 96, uploads: 6, uploadBytes: 24, copies: 6 },
        ...{ buffers: 2, pipelines: 2 },
      },
    );
    const [first] = device!.kernels;
    match(first!.name, /^slow #/);
    match(JSON.stringify(device!.kernels), /program\.mjs:\d+/);
    if (device!.timestamps === "added") ok(device!.timedSteps > 0 && device!.clock.unusable === 0, stderr);
    deepStrictEqual(place.leftovers(), []);
  },
});

Deno.test({
  name: "a program in Node that exits early or destroys its device keeps its status, and its counts are complete",
  ignore,
  async fn() {
    await using place = await makePlace();
    for (const [how, status] of [["exit", 7], ["destroy", 0]] as const) {
      const args = ["attach", "--json", "out.json", "--no-store", "--", "node", PROGRAM, how];
      const { code, stdout } = await place.tacho(args, env);
      deepStrictEqual([code, stdout], [status, plain]);
      const { complete, devices } = JSON.parse(Deno.readTextFileSync(join(place.folder, "out.json"))) as AttachResult;
      deepStrictEqual([complete, devices[0]!.totals.dispatches], [true, 18]);
    }
  },
});

Deno.test({
  name: "a program in Node whose WebGPU finds no adapter is reported by a sentence",
  ignore,
  async fn() {
    await using place = await makePlace();
    const args = ["attach", "--no-store", "--", "node", PROGRAM];
    const { code, stderr } = await place.tacho(args, {
      ...env,
      VK_DRIVER_FILES: "/nowhere",
      VK_ICD_FILENAMES: "/nowhere",
    });
    strictEqual(code, 1);
    match(stderr, /attach: requestAdapter\(\) returned null: the program's WebGPU found no adapter/);
  },
});
