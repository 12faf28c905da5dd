/**
 * Scaling of a distributed training on this machine: time of a step with 1 to 4 ranks, measured, and predicted from the
 * latency and the bandwidth that Tacho measures at the start of each run.
 *
 *     deno task bench:scaling
 *     deno task bench:scaling --ranks 1,2 --rounds 8 --network 5ms,50MB/s
 *     deno task bench:scaling --advice --network 5ms,50MB/s
 *
 * The model of a step with n ranks and batch B is the step of one rank with batch B / n, times the ranks that share a core,
 * plus the copies of the gradients as one rank needs them, plus a latency for each all-reduce and the bytes of gradients
 * divided by the bandwidth. It knows no waits for other ranks, and no gain of overlap.
 *
 * `--advice` compares what the advice predicts for two ranks with what it brings: each proposal on the all-reduce runs as a
 * variant beside the training that it was made for.
 *
 * Ranks of one machine share its cores, so the speed-up says nothing about a cluster; the error of the model does.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from "../mod.ts";
import { transferTime } from "../runtime/analysis/advice/ranks/all_reduce.ts";
import { launcherOf } from "../runtime/cluster/launcher.ts";
import type { Change } from "../runtime/result/finding.ts";
import type { Result, VariantResult } from "../runtime/result/schema.ts";

const BATCH = 48;

/** Number of ranks, which the benchmark passes to those that it starts. */
const RANKS = Number(Deno.env.get("SCALING_RANKS") ?? 1);

scenario({
  name: "scaling",
  model: mlp({ hidden: [512, 512], classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.01 }),
  data: syntheticImages({ channels: 1, height: 28, width: 28, classes: 10, length: 960 }),
  loader: { batchSize: BATCH },
  measure: { steps: 5, skip: 3, maxSkip: 10, aa: false, setups: 1 },
  variants: JSON.parse(Deno.env.get("SCALING_VARIANTS") ?? "null") ??
    { whole: {}, part: { loader: { batchSize: BATCH / RANKS } }, ranks: { distribute: true } },
});

/** Options of the benchmark. */
interface Options {
  readonly rounds: string;
  readonly network: string;
  readonly launcher: string;
}

/** Figures of a run with some number of ranks: ms per step. */
interface Figures {
  readonly ranks: number;
  /** Step of rank 0 alone, with the whole batch and with a rank's part of it. */
  readonly whole: number;
  readonly part: number;
  readonly step: number;
  readonly copies: number;
  readonly wait: number;
  readonly network: number;
  readonly transfer: number;
}

if (launcherOf() === null) await main();
else await run();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      advice: { type: "boolean", default: false },
      ranks: { type: "string", default: "1,2,3,4" },
      rounds: { type: "string", default: "6" },
      network: { type: "string", default: "" },
      launcher: { type: "string", default: "mpirun.mpich" },
    },
  });
  if (values.advice) await followAdvice(values);
  else await compare(values);
}

async function compare(values: Options & { readonly ranks: string }): Promise<void> {
  const all: Figures[] = [];
  for (const ranks of values.ranks.split(",").map(Number)) {
    if (BATCH % ranks !== 0) throw new Error(`--ranks: ${ranks} does not divide the batch of ${BATCH}`);
    all.push(figuresOf(ranks, await measure(ranks, values)));
  }
  const copies = all.find(({ ranks }) => ranks === 1)?.copies ?? 0;
  console.log(`ranks  step, ms  model, ms  error  speed-up  copies  wait  network  model  error  (load ${load()})`);
  for (const each of all) {
    const { ranks, step, part, network, transfer, whole, wait, copies: own } = each;
    const shared = Math.max(1, ranks / navigator.hardwareConcurrency);
    const predicted = part * shared + copies + transfer;
    console.log([
      String(ranks).padStart(5),
      step.toFixed(1).padStart(8),
      predicted.toFixed(1).padStart(9),
      percent(predicted / step - 1).padStart(5),
      (whole / step).toFixed(2).padStart(8),
      own.toFixed(1).padStart(6),
      wait.toFixed(1).padStart(4),
      network.toFixed(2).padStart(7),
      transfer.toFixed(2).padStart(5),
      (ranks === 1 ? "–" : percent(transfer / network - 1)).padStart(5),
    ].join("  "));
  }
}

/** Trains on two ranks with several buckets, then with each change that the advice on ranks proposes. */
async function followAdvice(options: Options): Promise<void> {
  const base = { distribute: { bucket: "512KiB" } };
  const [{ findings }] = (await measure(2, options, { base })).variants as [VariantResult];
  const advice = findings.filter(({ kind, predicted }) => kind.startsWith("ranks-") && predicted !== null);
  const changed = Object.fromEntries(advice.map(({ kind, changes }) => [kind, changes.reduce(withChange, base)]));
  const { variants } = await measure(2, options, { base, ...changed });
  const speedOf = (name: string) => variants.find((variant) => variant.name === name)!.metrics.ips!.value;
  console.log(`advice                  predicted  measured  (load ${load()})`);
  for (const { kind, changes, predicted } of advice) {
    const settings = changes.map(({ path, to }) => `${path}=${to}`).join(" ");
    const gains = [predicted!.gain, speedOf(kind) / speedOf("base")].map((gain) => `×${gain.toFixed(2)}`.padStart(9));
    console.log(`${kind.padEnd(22)}  ${gains.join("  ")}  ${settings}`);
  }
}

/** Returns settings with a change of a setting by its path. */
function withChange(settings: object, { path, to }: Change): object {
  const [key, ...rest] = path.split(".") as [string, ...string[]];
  const before = (settings as Record<string, object>)[key] ?? {};
  return { ...settings, [key]: rest.length === 0 ? to : withChange(before, { path: rest.join("."), from: null, to }) };
}

/** Runs variants on ranks, whose blocks are interleaved. */
async function measure(ranks: number, { rounds, network, launcher }: Options, variants?: object): Promise<Result> {
  const json = await Deno.makeTempFile({ suffix: ".json" });
  const open = launcher.endsWith("openmpi") ? ["--allow-run-as-root", "--oversubscribe"] : [];
  const script = ["deno", "run", "-A", new URL(import.meta.url).pathname];
  try {
    const { success } = await new Deno.Command(launcher, {
      args: [
        ...open,
        "-n",
        String(ranks),
        ...script,
        `measure.rounds=${rounds}`,
        "--json",
        json,
        "--no-store",
        "--quiet",
      ],
      env: {
        ...network === "" ? {} : { TACHO_NETWORK: network },
        ...variants === undefined ? {} : { SCALING_VARIANTS: JSON.stringify(variants) },
        SCALING_RANKS: String(ranks),
      },
      stdout: "null",
    }).output();
    if (!success) throw new Error(`${launcher} -n ${ranks} failed`);
    return JSON.parse(await Deno.readTextFile(json)) as Result;
  } finally {
    await Deno.remove(json);
  }
}

function figuresOf(size: number, { variants }: Result): Figures {
  const named = (name: string) => variants.find((variant) => variant.name === name);
  const [whole, all] = [named("whole")!, named("ranks")!];
  const part = named("part") ?? whole; // one rank's part is the whole batch, which runs once
  const { ranks } = all;
  if (ranks === undefined || ranks.network === null) throw new Error(`${size} ranks: ${all.error?.message}`);
  const { copyOut, copyIn, wait, network } = ranks.ranks[0]!.allReduce;
  const bytes = ranks.buckets.reduce((sum, bucket) => sum + bucket.bytes, 0);
  return {
    ...{ ranks: size, wait, network, copies: copyOut + copyIn },
    whole: stepOf(whole),
    part: stepOf(part),
    step: stepOf(all),
    transfer: size === 1 ? 0 : transferTime(ranks.network, bytes, ranks.buckets.length),
  };
}

/** Returns the median time of a step in ms. */
function stepOf({ blocks }: VariantResult): number {
  const costs = blocks.flatMap(({ steps }) => steps.map(({ batchCost }) => batchCost!)).sort((a, b) => a - b);
  return costs[costs.length >> 1]!;
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(0)} %`;
}

function load(): string {
  return Deno.loadavg()[0]!.toFixed(1);
}
