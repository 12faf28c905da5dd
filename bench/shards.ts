/**
 * Measures how planning and merging of a sweep grow with its size: synthetic shards of 50 nodes with 1,000 variants, and of
 * 500 nodes with 10,000. Each merge runs in a separate process, for its peak memory.
 *
 *     deno task bench:shards
 *
 * Exits with 1 if ten times the input takes more than fifteen times the time of the process.
 *
 * @module
 */
import process from "node:process";
import { mergeShards } from "../runtime/experiment/shards/merge_shards.ts";
import { planSweep } from "../runtime/experiment/shards/sweep_plan.ts";
import { describeEnvironment, TACHO_VERSION } from "../runtime/experiment/environment.ts";
import { specOf } from "../runtime/library/retention.ts";
import { scenario, syntheticImages } from "../mod.ts";
import { type Block, type Result, SCHEMA_VERSION } from "../runtime/result/schema.ts";
import { unmeasuredVariant } from "../runtime/result/unmeasured.ts";
import { resolveScenario } from "../runtime/scenario/resolve.ts";
import { findShardFiles } from "../runtime/store/shards/shard_file.ts";
import { ShardRun } from "../runtime/store/shards/shard_run.ts";
import type { RunSpec } from "../runtime/store/run_spec.ts";

const SIZES = [50, 500];
const VARIANTS_PER_NODE = 20;
const ROUNDS = 8;
const STEPS = 10;
/** Largest ratio of times for ten times the input. */
const MOST = 15;
const REPEATS = 3;

/** Settings of a variant, as large as those of a network. */
const CONFIG: RunSpec["variants"][number]["config"] = {
  ...{ model: "model", optimizer: { kind: "adamW", learningRate: 0.001, beta1: 0.9, beta2: 0.999, weightDecay: 0.01 } },
  loader: { batchSize: 128, numWorkers: 0, prefetch: 2, shuffle: true, dropLast: true },
  ...{ sink: 0, seed: 1, measure: { steps: STEPS, skip: 3, rounds: ROUNDS } },
};

const ENVIRONMENT = await describeEnvironment(null);

const [part, folder = "", count = "0"] = Deno.args;
if (part === "plan") await plan(folder, Number(count));
else if (part === "merge") merge(folder);
else await compare();

/** Times of a part, in seconds of the process, and its peak memory in MiB. */
interface Measured {
  readonly time: number;
  readonly peak: number;
}

async function compare(): Promise<void> {
  const rows: string[] = [];
  const medians = new Map<string, number[]>();
  const folders: string[] = [];
  try {
    for (const nodes of SIZES) {
      const folder = await Deno.makeTempDir({ prefix: "tacho-shards-" });
      folders.push(folder);
      write(folder, nodes);
    }
    for (const part of ["plan", "merge"]) {
      const measured: Measured[][] = SIZES.map(() => []);
      for (let i = 0; i < REPEATS; i++) {
        for (const [at, nodes] of SIZES.entries()) measured[at]!.push(await runPart(part, folders[at]!, nodes));
      }
      const times = measured.map((all) => median(all.map(({ time }) => time)));
      medians.set(part, times);
      const cells = measured.map((all, i) =>
        `${times[i]!.toFixed(2)} s, ${median(all.map(({ peak }) => peak)).toFixed(0)} MiB`
      );
      rows.push(`| ${part} | ${cells.join(" | ")} | ${(times[1]! / times[0]!).toFixed(1)} |`);
    }
  } finally {
    for (const folder of folders) await Deno.remove(folder, { recursive: true });
  }
  const sizes = SIZES.map((nodes) => `${nodes} nodes, ${(nodes * VARIANTS_PER_NODE).toLocaleString("en")} variants`);
  console.log(`| part | ${sizes.join(" | ")} | times |\n| --- | ---: | ---: | ---: |\n${rows.join("\n")}`);
  const slow = [...medians].filter(([, [small, large]]) => large! > MOST * small!);
  if (slow.length > 0) {
    console.error(`${slow.map(([part]) => part).join(", ")}: more than ${MOST} times the time for ten times the input`);
    Deno.exit(1);
  }
}

/** Runs a part in its own process, which prints its time and peak memory. */
async function runPart(part: string, folder: string, nodes: number): Promise<Measured> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL(import.meta.url).pathname, part, folder, String(nodes)],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${part} of ${nodes} nodes failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

function print(start: Deno.MemoryUsage | null, time: number): void {
  const peak = Number(/^VmHWM:\s*(\d+)/m.exec(Deno.readTextFileSync("/proc/self/status"))![1]) / 1024;
  console.log(JSON.stringify({ time, peak: start === null ? peak : peak - start.rss / 2 ** 20 }));
}

/** Plans a sweep of variants without a model and writes its plan, as the first shard does. */
async function plan(folder: string, nodes: number): Promise<void> {
  const side = Math.sqrt(nodes * VARIANTS_PER_NODE);
  const values = Array.from({ length: Math.ceil(side) }, (_, i) => i + 1);
  const definition = scenario({
    name: "planned",
    data: syntheticImages({ height: 2, width: 2, classes: 4, length: 64 }),
    sweep: { "loader.batchSize": values, "loader.prefetch": values },
  });
  const resolved = resolveScenario(definition);
  const begun = cpuTime();
  const spec = { tacho: TACHO_VERSION, ...specOf(resolved, { file: null, sha256: null }) };
  await planSweep({ scenario: resolved, spec, shards: nodes, replicate: 1, earlier: () => [] }, folder, true);
  print(null, cpuTime() - begun);
  await Deno.remove(`${folder}/planned-of-${nodes}.tacho.plan.json`);
}

function merge(folder: string): void {
  const paths = findShardFiles(folder);
  const start = Deno.memoryUsage();
  const begun = cpuTime();
  const { result } = mergeShards(paths);
  if (result.nodes?.length !== paths.length) throw new Error("not every shard was merged");
  print(start, cpuTime() - begun);
}

/** Time of this process on the CPU in seconds, which other programs do not change as they do the time of the clock. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Writes the shards of a sweep, each with the result of its baseline and variants. */
function write(folder: string, nodes: number): void {
  const config = { ...CONFIG };
  const total = nodes * VARIANTS_PER_NODE + 1;
  for (let node = 0; node < nodes; node++) {
    const positions = Array.from({ length: VARIANTS_PER_NODE }, (_, i) => 1 + node + i * nodes);
    const names = ["baseline", ...positions.map((position) => `loader.batchSize=${position}`)];
    const spec: RunSpec = {
      ...{ tacho: TACHO_VERSION, scenario: "synthetic", sha256: null, seed: 1, baseline: "baseline" },
      variants: names.map((name) => ({ name, config })),
    };
    const place = {
      shard: node + 1,
      of: nodes,
      replicate: 1,
      sweep: "s",
      total,
      positions: [0, ...positions],
      rounds: ROUNDS,
    };
    const start = { spec, script: null, modules: [], args: [], cwd: "/", environment: ENVIRONMENT, started: node };
    const run = ShardRun.open(folder, place, start, `node${node}`);
    const variants = names.map((name, i) => ({
      ...unmeasuredVariant(name, config),
      blocks: blocksOf(100 * (1 + node / nodes) * (1 + 0.01 * i)),
      losses: Array.from({ length: ROUNDS * STEPS }, (_, step) => 2 / (1 + step)),
    }));
    run.finish(resultOf(variants, blocksOf(100 * (1 + node / nodes))));
    run.close();
  }
}

function blocksOf(wall: number): Block[] {
  return Array.from({ length: ROUNDS }, (_, round): Block => ({
    ...{ round, position: 0, samples: 320, wall: wall * (1 + 0.01 * Math.sin(round * wall)) },
    steps: Array.from({ length: STEPS }, (_, index) => ({
      ...{ index, batchCost: wall / STEPS, readerCost: 0.1, stepTime: null, iterationGap: null },
      ...{ forward: null, backward: null, update: null, loss: 2 / (1 + index) },
    })),
  }));
}

function resultOf(variants: Result["variants"], control: Block[]): Result {
  return {
    schemaVersion: SCHEMA_VERSION,
    environment: ENVIRONMENT,
    scenario: { name: "synthetic", file: null, sha256: null, seed: 1, params: {}, adapted: null },
    baseline: "baseline",
    variants,
    noiseFloor: 0.01,
    procedure: {
      ...{ planned: ROUNDS, rounds: ROUNDS, stoppedBy: "rounds", precision: null, maxTime: null, minEffect: 0.01 },
      ...{ setups: { count: 1, time: null, share: null }, order: [], warnings: [], probe: [], probeTrend: null },
      ...{ secondArm: { name: "baseline again", blocks: control, comparison: null }, warmUp: [], resumed: 0 },
    },
    effects: [],
    front: null,
    ladder: null,
    roofline: null,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
