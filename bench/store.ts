/**
 * Measures the cost of keeping a run and the speed of listing thousands of kept runs.
 *
 *     deno task bench:store             # 10,000 runs
 *     deno task bench:store 1000
 *     deno task bench:store --record    # also writes the result to bench/results/
 */
import { median } from "../runtime/core/statistics.ts";
import { openStore } from "../runtime/store/store.ts";
import type { Result } from "../runtime/result/schema.ts";
import type { RunSpec } from "../runtime/store/run_spec.ts";
import type { RunStart } from "../runtime/store/records.ts";
import { recorder } from "./record/recorder.ts";

const VARIANTS = 5;
const ROUNDS = 8;
const STEPS = 10;

/** Returns a result as large as that of a matrix of 5 variants with 100 profiled ops each. */
function resultOf(script: string): Promise<Result> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script, "--no-store", "--json", "-", "--variants", "baseline", "--steps", "2", "--rounds", "2"],
    stderr: "null",
  });
  return child.output().then(({ stdout }) => JSON.parse(new TextDecoder().decode(stdout)));
}

function enlarge(result: Result): Result {
  const [variant] = result.variants;
  const [block] = variant!.blocks;
  const steps = Array.from({ length: STEPS }, (_, i) => ({ ...block!.steps[i % block!.steps.length]!, index: i }));
  const blocks = Array.from({ length: ROUNDS }, (_, round) => ({ ...block!, round, steps }));
  const op = {
    id: "layer1.0.conv1/weight_grad",
    name: "layer1.0.conv1/weight_grad",
    type: "conv2d_weight_grad",
    precision: "compute" as const,
    roles: ["product" as const],
    aliases: {},
    layer: "layer1.0.conv1",
    phase: "backward" as const,
    kernel: "conv2d.weight_grad.channels.16x16.f32_f32",
    members: [],
    inputs: [{ shape: [32, 16, 32, 32], dtype: "f32" }],
    outputs: [{ shape: [16, 16, 3, 3], dtype: "f32" }],
    shapes: [[32, 16, 32, 32], [16, 16, 3, 3]],
    dtype: "f32",
    inPlace: false,
    calls: 5,
    total: 46.9,
    median: 9.12,
    mean: 9.37,
    min: 7.44,
    max: 11.6,
    share: 0.025,
    flops: 151e6,
    bytes: 4.2e6,
    dispatches: 2,
    kernels: ["conv2d.weight_grad.channels.16x16.f32_f32", "reduce_partials.f32"].map((name) => (
      { name, calls: 5, total: 23.4, median: 4.56, mean: 4.68, min: 3.72, max: 5.8 }
    )),
    setup: { pipeline: 12.3, firstDispatch: 5.51 },
  };
  const ops = Array.from({ length: 100 }, (_, i) => ({ ...op, id: `${op.id}${i}` }));
  const variants = Array.from({ length: VARIANTS }, (_, i) => ({ ...variant!, name: `v${i}`, blocks, ops }));
  return { ...result, baseline: "v0", variants };
}

function startOf(result: Result): RunStart {
  const { scenario, baseline, variants, environment } = result;
  const spec: RunSpec = {
    tacho: environment.tacho,
    scenario: scenario.name,
    sha256: scenario.sha256,
    seed: scenario.seed,
    baseline,
    variants: variants.map(({ name, config }) => ({ name, config })),
  };
  return { spec, script: null, modules: [], args: ["--rounds", "8"], cwd: Deno.cwd(), environment };
}

const { args, record } = await recorder("store");
const count = Number(args[0] ?? 10_000);
/** Prints a figure and records it as a case. */
const show = (name: string, value: number, unit: "ms" | "MB") => {
  console.log(`${name.padEnd(50)} ${value.toFixed(1)} ${unit}`);
  record(name.replace(/ with \d+ runs$/, ""), {
    runs_count: count,
    ...unit === "ms" ? { took_ms: value } : { size_mb: value },
  });
};
const folder = await Deno.makeTempDir({ prefix: "tacho-bench-" });
try {
  const result = enlarge(await resultOf(new URL("../scripts/mlp.ts", import.meta.url).pathname));
  const start = startOf(result);
  show("result as JSON", JSON.stringify(result).length / 1e6, "MB");
  const opened = performance.now();
  using store = openStore(folder);
  show("opening a new store", performance.now() - opened, "ms");
  const times = { begin: [] as number[], round: [] as number[], finish: [] as number[] };
  const host = { runtimeWait: 0, counts: {}, letData: [], hostQueue: [], deviceQueue: [] };
  for (let i = 0; i < count; i++) {
    let last = performance.now();
    const lap = (kind: keyof typeof times) => {
      const now = performance.now();
      times[kind].push(now - last);
      last = now;
    };
    const run = store.begin(start);
    lap("begin");
    if (i < 100) {
      const blocks = result.variants.map(({ name, blocks }) => ({ arm: name, block: blocks[0]!, host }));
      run.recorder.keepRound({ round: 0, order: blocks.map(({ arm }) => arm), blocks, probe: null });
      lap("round");
    }
    run.finish(result);
    lap("finish");
  }
  for (const [kind, values] of Object.entries(times)) show(`${kind}, median`, median(values), "ms");
  show(
    "keeping a run (begin, a round, finish), slowest",
    Math.max(...times.begin) + Math.max(...times.round) + Math.max(...times.finish),
    "ms",
  );
  const size = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile)
    .reduce((sum, { name }) => sum + Deno.statSync(`${folder}/${name}`).size, 0);
  show(`size of the store with ${count} runs`, size / 1e6, "MB");
  for (
    const args of [
      ["runs"],
      ["runs", "--all"],
      ["runs", "--status", "interrupted"],
      ["runs", "nothing like it"],
      ["show", "last"],
      ["history", "ips.v0", "--limit", "10000"],
    ]
  ) {
    const laps = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      const tacho = new URL("../scripts/tacho.ts", import.meta.url).pathname;
      const { code } = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", tacho, ...args, "--store", folder],
        stdout: "null",
      }).outputSync();
      if (code !== 0) throw new Error(`tacho ${args.join(" ")} exited with ${code}`);
      return performance.now() - begun;
    });
    show(`tacho ${args.join(" ")}, the whole process`, median(laps), "ms");
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
