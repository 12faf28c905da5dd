/** Trains on several ranks with each installed MPI. */
import assert, { deepStrictEqual, match } from "node:assert/strict";
import { join } from "node:path";
import type { Result } from "../../mod.ts";
import { fullTest } from "../support/full.ts";
import { isInstalled, mpirun } from "./mpirun.ts";

Deno.test({
  name: "overlapping all-reduces change no loss, and f16 compression changes them little",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const args = ["distribute.overlap=false,true", "distribute.compress=null,f16", "distribute.bucket=1024"];
    const { code, stdout, stderr } = await mpirun("mpirun.mpich", 2, [
      ...args,
      ...["kind=conv", "measure.rounds=2", "--json", "-", "--no-store", "--share-device"],
    ]);
    deepStrictEqual(code, 0, stderr);
    const { variants } = JSON.parse(stdout) as Result;
    const [plain, compressed, overlapped, both] = variants.map(({ losses }) => losses.map(Number));
    deepStrictEqual(overlapped, plain);
    deepStrictEqual(both, compressed);
    compressed!.forEach((loss, i) => assert(Math.abs(loss - plain![i]!) < 1e-3, `step ${i}: ${loss}`));
    for (const { metrics, ranks, blocks } of variants) {
      deepStrictEqual(ranks!.ranks.map(({ rank, steps }) => [rank, steps]), [[0, 10], [1, 10]]);
      deepStrictEqual(ranks!.buckets.map(({ calls }) => calls), ranks!.buckets.map(() => 10));
      assert(metrics.allReduce!.value > 0);
      assert(blocks.every(({ steps }) => steps.every(({ allReduce }) => allReduce !== undefined)));
    }
  },
});

fullTest(
  "figures of profiled steps on several ranks are of a rank's work and of all ranks' samples",
  async () => {
    const out = await Deno.makeTempDir();
    const { code, stdout, stderr } = await mpirun("mpirun.mpich", 2, [
      ...["--variants=ranks,overlap", "kind=conv", "accumulate=2", "measure.rounds=2", "distribute.bucket=64"],
      ...["--verbosity=2", "--report", out, "--json", "-", "--no-store", "--share-device"],
    ]);
    deepStrictEqual(code, 0, stderr);
    const { variants } = JSON.parse(stdout) as Result;
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
    for (const { metrics, blocks, ops, exact, profile, pipeline } of variants) {
      const near = (got: number, wanted: number) => assert(Math.abs(got / wanted - 1) < 1e-6, `${got}, not ${wanted}`);
      deepStrictEqual(blocks[0]!.samples, 5 * 2 * 16);
      near(metrics.ips!.value * metrics.batchCost!.value / 1000, 2 * 16);
      deepStrictEqual(new Set(ops.map(({ id }) => id)).size, ops.length, "an op that an all-reduce splits is one");
      deepStrictEqual(sum(ops.map(({ flops }) => flops!)), exact!.flops);
      deepStrictEqual(sum(ops.map(({ bytes }) => bytes!)), exact!.bytes);
      deepStrictEqual(sum(ops.map(({ dispatches }) => dispatches)), exact!.dispatches);
      assert(ops.every(({ calls }) => calls === profile!.steps));
      for (const { kind, perBatch, perSample } of pipeline!.stages) {
        if (kind !== "handOver" && perBatch !== null) near(perBatch, perSample! * 16 / 2);
      }
    }
    const { traceEvents } = JSON.parse(await Deno.readTextFile(join(out, "trace.json"))) as {
      traceEvents: { ph: string; pid: number; tid: number; name?: string; ts: number; args?: { name?: string } }[];
    };
    assert(traceEvents.every(({ ph, name }) => ph !== "X" || name));
    const tracks = new Map(
      traceEvents.flatMap(({ name, tid, args }) => name === "thread_name" ? [[tid, args!.name]] : []),
    );
    const phases = traceEvents.filter(({ ph, tid }) => ph === "X" && tracks.get(tid) === "device phases");
    for (const own of Map.groupBy(phases, ({ pid }) => pid).values()) {
      const names = own.toSorted((a, b) => a.ts - b.ts).map(({ name }) => name);
      const step = ["forward", "backward", "forward", "backward", "update"].join();
      const joined = names.filter((name, i) => name !== names[i - 1]);
      deepStrictEqual(joined.join(), Array.from({ length: joined.length / 5 }, () => step).join());
    }
    await Deno.remove(out, { recursive: true });
  },
  { ignore: !isInstalled("mpirun.mpich") },
);

Deno.test({
  name: "a rank with another seed and other data is named by rank, and all end with bad input",
  ignore: !isInstalled("mpirun.openmpi"),
  fn: async () => {
    const env = { PLANT: "samples", PLANT_RANK: "1" };
    const { code, stderr } = await mpirun("mpirun.openmpi", 2, [["--no-store", "--variants=ranks"], [
      "--no-store",
      "--variants=ranks",
      "seed=2",
    ]], env);
    deepStrictEqual(code, 2);
    match(stderr, /rank 1 on \S+: seed is 2, but 1 on rank 0/);
    match(stderr, /rank 1 on \S+: the data's SHA-256 of three samples is /);
  },
});

fullTest(
  "a rank whose model differs is named with the parameters that do",
  async () => {
    const env = { PLANT: "model", PLANT_RANK: "1" };
    const { code, stderr } = await mpirun("mpirun.mpich", 2, ["--no-store", "--variants=ranks"], env);
    deepStrictEqual(code, 2);
    match(stderr, /rank 1 on \S+: in ranks, \S+\.weight is 33x64 instead of 32x64, 1.bias is 33/);
  },
  { ignore: !isInstalled("mpirun.mpich") },
);

fullTest(
  "an error of one rank before the start is printed by rank 0, once",
  async () => {
    const args = ["--no-store", "--variants=ranks"];
    const { code, stderr } = await mpirun("mpirun.mpich", 2, [args, ["nonsense=1"]]);
    deepStrictEqual(code, 2);
    deepStrictEqual(stderr.match(/^error: .*/gm)?.map((line) => line.slice(0, 14)), ["error: rank 1 "]);
  },
  { ignore: !isInstalled("mpirun.mpich") },
);

fullTest(
  "a batch that the ranks cannot divide is an input error",
  async () => {
    const { code, stdout } = await mpirun("mpirun.openmpi", 2, [
      "--no-store",
      "--variants=one,ranks",
      "loader.batchSize=9",
    ]);
    deepStrictEqual(code, 2);
    match(stdout, /loader.batchSize is 9/);
  },
  { ignore: !isInstalled("mpirun.openmpi") },
);

Deno.test({
  name: "a library that does not know the launcher's ranks is named, instead of ranks that train alone",
  ignore: !isInstalled("mpirun.mpich"),
  fn: async () => {
    const script = join(import.meta.dirname!, "ranks_script.ts");
    const run = async (variables: Record<string, string>) => {
      const env = { NO_COLOR: "1", PMI_RANK: "0", PMI_SIZE: "2", ...variables };
      const args = ["run", "-A", "--no-check", script, "--no-store", "--variants=ranks"];
      const { code, stderr } = await new Deno.Command(Deno.execPath(), { args, env, stdin: "null" }).output();
      return [code, new TextDecoder().decode(stderr)] as const;
    };
    // No mpirun has started this process, so that MPI takes it for the only rank
    const [alone, why] = await run({});
    deepStrictEqual(alone, 4);
    match(
      why,
      /^error: MPICH has started 2 ranks, of which the MPI library \S+ sees 1: it belongs to another launcher; /m,
    );
    const [other, reason] = await run({ TACHO_MPI: "libc.so.6" });
    deepStrictEqual(other, 4);
    match(reason, /^error: libc\.so\.6 is not an MPI library; expected MPI 3 or later/m);
  },
});
