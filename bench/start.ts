/**
 * Time from the start of a process to the end of the first training step, by part: with an empty shader cache and with a
 * filled one.
 *
 *     deno task bench:start                                              # ResNet-20 at batch 32, in f32 and O2
 *     deno task bench:start scripts/gpt.ts --rounds 3 --shaders 10
 *     deno task bench:start scripts/resnet.ts loader.batchSize=8         # only these settings
 *     deno task bench:start --first 20                                   # 20 runs of the README's first command
 *     deno task bench:start --record                                     # also writes the result to bench/results/
 *
 * Each start is a new process. An empty cache is a new folder, by the variables that Mesa and NVIDIA's driver read. The
 * table has the median wall time and the minimum processor time of all threads over the rounds, which other load hardly
 * lengthens. `first dispatches` runs each shader once with a single workgroup; adapters compile it then. With `--shaders
 * N`, they run one after another and the table lists the N slowest; otherwise as in a run, on two devices of a software
 * adapter. `--first` counts the runs that decide ({@linkcode file://./start/first.ts}).
 *
 * @module
 */
import { median } from "../runtime/core/statistics.ts";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { lastLine, load } from "./peer_process.ts";
import { recorder } from "./record/recorder.ts";
import { countDecided } from "./start/first.ts";
import type { Cost, Start } from "./start/process.ts";

const root = join(import.meta.dirname!, "..");
const { args, record } = await recorder("start");
const { values, positionals } = parseArgs({
  args,
  options: {
    rounds: { type: "string", default: "2" },
    shaders: { type: "string", default: "0" },
    first: { type: "string" },
  },
  allowPositionals: true,
});
const script = positionals[0]?.endsWith(".ts") ? positionals[0] : join(root, "scripts/standin.ts");
const given = positionals.filter((word) => word !== script);
const shown = Number(values.shaders);
const settings = given.length > 0
  ? [given]
  : script.endsWith("standin.ts")
  ? [["loader.batchSize=32"], ["loader.batchSize=32", "amp=O2"]]
  : [[], ["amp=O2"]];

if (values.first === undefined) { for (const overrides of settings) await compare(overrides); }
else await countDecided(Number(values.first), record);

async function compare(overrides: readonly string[]): Promise<void> {
  console.log(`${script} ${overrides.join(" ")}, ${load()}`);
  const cold: Start[] = [];
  const warm: Start[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const cache = await Deno.makeTempDir({ prefix: "tacho-start-" });
    try {
      cold.push(await startProcess(cache, overrides));
      warm.push(await startProcess(cache, overrides));
    } finally {
      await Deno.remove(cache, { recursive: true });
    }
  }
  const losses = new Set([...cold, ...warm].map(({ loss }) => loss));
  if (losses.size > 1) throw new Error(`The first loss differs between starts: ${[...losses].join(", ")}`);
  console.log(`${cold[0]!.adapter}, ${cold[0]!.count} shaders, first loss ${cold[0]!.loss}`);
  console.log(row("part", "cold, ms", "cpu ms", "warm, ms", "cpu ms"));
  for (const [i, { name }] of cold[0]!.parts.entries()) {
    console.log(row(name, ...[cold, warm].flatMap((starts) => figures(starts.map(({ parts }) => parts[i]!)))));
  }
  console.log(row("all", ...[cold, warm].flatMap((starts) => figures(starts.map(({ parts }) => sum(parts))))));
  const costs = ([["cold", cold], ["warm", warm]] as const).flatMap(([cache, starts]) => {
    const named = [...starts[0]!.parts.keys()].map((i) => starts.map(({ parts }) => parts[i]!));
    return [
      ["all", starts.map(({ parts }) => sum(parts))] as const,
      ...named.map((all) => [all[0]!.name, all] as const),
    ]
      .map(([name, all]) => [`${cache}_${name.replaceAll(" ", "_")}`, all] as const);
  });
  record(
    [basename(script), ...overrides].join(" "),
    Object.fromEntries([
      ["shaders_count", cold[0]!.count],
      ...costs.flatMap(([name, all]) => [
        [`${name}_wall_ms`, median(all.map(({ wall }) => wall))],
        [`${name}_cpu_ms`, Math.min(...all.map(({ cpu }) => cpu))],
      ]),
    ]),
  );
  const slowest = cold[0]!.shaders.toSorted((a, b) => b.cpu - a.cpu).slice(0, shown);
  for (const { name } of slowest) {
    const of = (starts: readonly Start[]) =>
      starts.map((start) => start.shaders.find((shader) => shader.name === name)!);
    console.log(row(`  ${name}`, ...[cold, warm].flatMap((starts) => figures(of(starts)))));
  }
}

async function startProcess(cache: string, overrides: readonly string[]): Promise<Start> {
  const env = {
    MESA_SHADER_CACHE_DIR: cache,
    __GL_SHADER_DISK_CACHE_PATH: cache,
    ...Deno.build.os === "linux" && { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" },
  };
  const created = performance.timeOrigin + performance.now();
  const process = join(root, "bench/start/process.ts");
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--config",
      join(root, "deno.json"),
      process,
      `${created}`,
      `${shown > 0}`,
      script,
      ...overrides,
    ],
    env,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return lastLine<Start>(new TextDecoder().decode(stdout));
}

function sum(costs: readonly Cost[]): Cost {
  return costs.reduce((total, { wall, cpu }) => ({ wall: total.wall + wall, cpu: total.cpu + cpu }), {
    wall: 0,
    cpu: 0,
  });
}

function figures(costs: readonly Cost[]): string[] {
  return [median(costs.map(({ wall }) => wall)).toFixed(0), Math.min(...costs.map(({ cpu }) => cpu)).toFixed(0)];
}

function row(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(60)} ${cells.map((cell) => cell.padStart(9)).join(" ")}`;
}
