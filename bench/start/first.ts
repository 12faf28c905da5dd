/**
 * Counts how often the README's first command decides: runs with at least two verdicts other than `unclear`. Every run
 * starts with empty caches for data and shaders; every second one has a busy loop beside it on each core.
 *
 * @module
 */
import { median } from "../../runtime/core/statistics.ts";
import { join } from "node:path";
import { load } from "../peer_process.ts";
import type { RecordCase } from "../record/recorder.ts";

/** Verdicts that a run must have. */
const ENOUGH = 2;

const LINE = /^(\S+) .*×[\d.]+ .* (faster|slower|same|unclear|invalid)\b/gm;

interface Run {
  readonly verdicts: readonly string[];
  /** Wall time from the start of the process to its end, in ms. */
  readonly wall: number;
}

export async function countDecided(count: number, record: RecordCase): Promise<void> {
  const cases = [
    { name: "as the machine is", loops: 0, runs: [] as Run[] },
    { name: "beside a busy loop per core", loops: navigator.hardwareConcurrency, runs: [] as Run[] },
  ];
  for (let i = 0; i < count; i++) {
    const { name, loops, runs } = cases[i % cases.length]!;
    const before = load();
    const run = await beside(loops, firstCommand);
    runs.push(run);
    console.log(`${name}, ${before}: ${(run.wall / 1000).toFixed(0)} s, ${run.verdicts.join(", ")}`);
    const decided = runs.filter(({ verdicts }) => verdicts.filter((one) => !one.endsWith("unclear")).length >= ENOUGH);
    record(`first command, ${name}`, {
      runs_count: runs.length,
      decided_count: decided.length,
      wall_ms: median(runs.map(({ wall }) => wall)),
    });
  }
}

/** Runs `work` beside processes that never wait. */
async function beside<T>(loops: number, work: () => Promise<T>): Promise<T> {
  const busy = Array.from(
    { length: loops },
    () => new Deno.Command("sh", { args: ["-c", "while :; do :; done"] }).spawn(),
  );
  try {
    return await work();
  } finally {
    for (const process of busy) process.kill();
    await Promise.all(busy.map(({ status }) => status));
  }
}

async function firstCommand(): Promise<Run> {
  const folder = await Deno.makeTempDir({ prefix: "tacho-first-" });
  const shaders = join(folder, "shaders");
  await Deno.mkdir(shaders);
  const start = performance.now();
  try {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", join(import.meta.dirname!, "../../scripts/resnet.ts")],
      env: {
        NO_COLOR: "1",
        TACHO_CACHE: folder,
        TACHO_STORE: join(folder, "store"),
        MESA_SHADER_CACHE_DIR: shaders,
        __GL_SHADER_DISK_CACHE_PATH: shaders,
      },
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const wall = performance.now() - start;
    const verdicts = [...new TextDecoder().decode(stdout).matchAll(LINE)].map(([, name, verdict]) =>
      `${name} ${verdict}`
    );
    if (verdicts.length === 0) throw new Error("The run printed no verdict");
    return { verdicts, wall };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
