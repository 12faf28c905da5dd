/** Plants delays in the network, in a rank's step and in its data, which exceed everything else in a step. */
import assert, { deepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { Result, VariantResult } from "../../mod.ts";
import { full, fullTest } from "../support/full.ts";
import { isInstalled, type LauncherName, mpirun } from "./mpirun.ts";

/** Delay of each submission or sample, in ms. */
const DELAY = 200;

/** Bytes of gradients of `kind=deep` in f32. */
const BYTES = 4 * (3 * (64 * 64 + 64) + 64 * 4 + 4);

/** Time that an emulated network of 100 kB/s takes for them, in ms. */
const TRANSFER = BYTES / 100;

/** Trains on two ranks, one block of a few steps for each variant. */
async function train(
  launcher: LauncherName,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<VariantResult[]> {
  const all = [...args, "loader.batchSize=4", "measure.steps=3", "measure.rounds=1", "--no-store", "--json", "-"];
  const { code, stdout, stderr } = await mpirun(launcher, 2, all, env);
  strictEqual(code, 0, stderr);
  return (JSON.parse(stdout) as Result).variants;
}

/** Returns the all-reduce of a rank. */
const allReduce = ({ ranks }: VariantResult, rank = 0) => ranks!.ranks[rank]!.allReduce;

fullTest(
  "a slow network is the all-reduce's transfer, which overlap hides and compression halves as predicted",
  async () => {
    const args = ["kind=deep", "--variants=ranks,overlap,compress"];
    const env = { TACHO_NETWORK: "100kB/s", PLANT: "step", PLANT_RANK: "all", PLANT_MS: String(DELAY / 2) };
    const variants = await train("mpirun.mpich", args, env);
    const [plain, overlap, compress] = variants as [VariantResult, VariantResult, VariantResult];
    for (const rank of [0, 1]) {
      const { network, wait, hidden } = allReduce(plain, rank);
      assert(network > 0.95 * TRANSFER && wait < TRANSFER, `${network}, ${wait}`);
      strictEqual(hidden, 0);
      // The device cannot hide the last of the three large buckets, and at least one of the others is hidden
      assert(allReduce(overlap, rank).network < 0.75 * network);
      assert(allReduce(overlap, rank).hidden > TRANSFER / 8, `${allReduce(overlap, rank).hidden} ms`);
    }
    strictEqual(plain.ranks!.straggler, null);
    strictEqual(plain.ranks!.notHidden, 1);
    assert(overlap.ranks!.notHidden! < 0.75);
    const { bandwidth } = plain.ranks!.network!;
    // It is a slope of measured times, whose rounding may exceed the network's 100
    assert(bandwidth > 60 && bandwidth < 105, `${bandwidth} bytes/ms`);

    const kinds = plain.findings.map(({ kind }) => kind);
    assert(kinds.includes("ranks-compress") && kinds.includes("ranks-batch") && !kinds.includes("ranks-slow"));
    const { predicted } = plain.findings.find(({ kind }) => kind === "ranks-compress")!;
    const measured = compress.metrics.ips!.value / plain.metrics.ips!.value;
    assert(Math.abs(predicted!.gain / measured - 1) < 0.25, `predicted ${predicted!.gain}, measured ${measured}`);
  },
  { ignore: !isInstalled("mpirun.mpich") },
);

for (
  const { cause, launcher, words } of [
    { cause: "data", launcher: "mpirun.openmpi", words: /^Rank 1 on .* look at its data loading$/ },
    { cause: "host", launcher: "mpirun.mpich", words: /^Rank 1 on .* look at the work of its host$/ },
  ] as const
) {
  if (cause === "data" && !full) continue; // the same measurements find both
  Deno.test({
    name: `a rank whose ${cause} is slow is the straggler, and the advice names it`,
    ignore: !isInstalled(launcher),
    fn: async () => {
      const folder = await Deno.makeTempDir();
      try {
        const env = { PLANT: cause === "data" ? "data" : "step", PLANT_RANK: "1", PLANT_MS: String(DELAY) };
        const [ranks] = await train(launcher, ["--variants=ranks", "--report", folder], env) as [VariantResult];
        // A rank's step has two samples and at least three submissions, one of them in the copy out
        const { rank, cause: found, excess } = ranks.ranks!.straggler!;
        deepStrictEqual([rank, found], [1, cause]);
        assert(excess > 1.5 * DELAY, `${excess} ms`);
        assert(allReduce(ranks, 0).wait > 1.2 * DELAY && allReduce(ranks, 1).wait < DELAY);
        assert(allReduce(ranks, 0).network < DELAY && allReduce(ranks, 1).network < DELAY);
        const [slow] = ranks.findings.filter(({ kind }) => kind === "ranks-slow");
        assert(words.test(slow!.message), slow!.message);
        await checkTrace(join(folder, "trace.json"));
        const report = await Deno.readTextFile(join(folder, "report.md"));
        assert(/rank 1 \(.*\) is slow: .* ms longer than the others, most of it in /.test(report));
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Checks that the ranks are processes on one clock: transfers begin on both at the same time, though one is slow. */
async function checkTrace(file: string): Promise<void> {
  const { traceEvents } = JSON.parse(await Deno.readTextFile(file)) as { traceEvents: TraceEvent[] };
  const processes = traceEvents.filter(({ ph, name }) => ph === "M" && name === "process_name");
  const named = (rank: number) => processes.filter(({ args }) => String(args!["name"]).includes(`rank ${rank} on `));
  const [first, second] = [named(0), named(1)].map((found) => {
    strictEqual(found.length, 1);
    return traceEvents.filter(({ ph, pid, name }) =>
      ph === "X" && pid === found[0]!.pid && name === "all-reduce network"
    );
  }) as [TraceEvent[], TraceEvent[]];
  const labels = traceEvents.filter(({ name }) => name === "process_labels").map(({ args }) => String(args!["labels"]));
  assert(labels.some((label) => /clock within ±/.test(label)), labels.join("\n"));
  assert(first.length >= 3);
  strictEqual(second.length, first.length);
  for (const [i, { ts }] of first.entries()) assert(Math.abs(ts - second[i]!.ts) < 1000 * DELAY, `step ${i}`);
}
