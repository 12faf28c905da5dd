import assert from "node:assert/strict";
import { join } from "node:path";
import { readShardProgress } from "../../../runtime/shards/store/shard_file.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { fullTest } from "../../support/full.ts";
import { ProcessOutput } from "../../support/process_output.ts";
import { Place, TACHO } from "../tacho_process.ts";

const ROUNDS = 6;

/** A small network, which can be held at a block. */
const SCRIPT = `import { crossEntropy, mlp, run, scenario, sgd, syntheticImages } from ${
  JSON.stringify(new URL("../../../mod.ts", import.meta.url).href)
};
import ${JSON.stringify(new URL("./hold.ts", import.meta.url).href)};
export default scenario({
  name: "killed",
  model: mlp({ hidden: [8], classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ channels: 1, height: 4, width: 4, classes: 4, length: 64 }),
  measure: { steps: 2, skip: 1, maxSkip: 1, rounds: ${ROUNDS} },
  sweep: { "loader.batchSize": [4, 8, 12] },
});
if (import.meta.main) await run();
`;

// tests/shards/store/ interrupts shards and tests/store/killed_test.ts kills writers in the fast set
fullTest(
  "a shard killed in its fifth round loses that round only, and merges leave one run, however they end",
  async () => {
    await using place = await Place.make();
    const script = "killed.ts";
    await place.write(script, SCRIPT);
    const shard = (number: number) => ["run", script, "--shard", `${number}/2`];
    const files = [1, 2].map((number) => join(place.folder, `killed-${number}-of-2.tacho.jsonl`));
    const second = place.tacho(shard(2));
    const child = place.start(shard(1), { HOLD_AT: "4.1" });
    const output = [new ProcessOutput(child.stdout), new ProcessOutput(child.stderr)] as const;
    await output[0].until("held");
    killTree(child.pid);
    await Promise.all([child.status, ...output.map((stream) => stream.all())]);
    assert.equal(readShardProgress(files[0]!).rounds, 4);
    assert.equal((await second).code, 0);

    const partial = await place.here("merge", ...files);
    assert.equal(partial.code, 1);
    assert.match(
      partial.stderr,
      new RegExp(`incomplete: \\S+-1-of-2\\S+ has 4 of ${ROUNDS} rounds; run shard 1/2`),
    );

    const again = place.tacho(shard(1));
    const meanwhile = await place.here("merge", ...files); // which reads a file that is being written
    assert.match(meanwhile.stderr, /kept as \w+/);
    assert.equal((await again).code, 0);
    const { rounds: all, resumed, status } = readShardProgress(files[0]!);
    assert.deepEqual([all, resumed, status], [ROUNDS, 1, "complete"]);

    const kill = new URL("./kill_in_store.ts", import.meta.url).href;
    for (const moment of ["insert", "commit"]) {
      const merging = place.command(["--preload", kill, TACHO, "merge", ...files], { KILL_AT: moment });
      assert.equal((await merging.output()).signal, "SIGKILL", moment);
    }
    const merges = await Promise.all([place.tacho(["merge", ...files]), place.tacho(["merge", ...files.toReversed()])]);
    const ids = merges.map(({ stderr }) => stderr.match(/^kept as (\w+)/m)?.[1]);
    assert.deepEqual(merges.map(({ code }) => code), [0, 0], merges[0]!.stderr);
    assert.equal(ids[0], ids[1]);
    const whole = await place.tacho(["run", script]);
    const wholeId = `${whole.stderr}${whole.stdout}`.match(/kept as (\w+)/)![1]!;
    using store = openStore(join(place.folder, "store"));
    const complete = store.find({ status: "complete" }).filter(({ variants }) => variants === 3).map(({ id }) => id);
    assert.deepEqual(complete.filter((id) => id !== ids[0]), [wholeId], "one run of all merges");
    assert(store.find().every(({ status }) => status !== "running"));
    const [merged, expected] = [store.result(ids[0]!)!, store.result(wholeId)!];
    for (const [i, { name, losses }] of merged.variants.entries()) {
      assert.equal(losses.length, 1 + 2 * ROUNDS, name);
      assert.deepEqual(losses, expected.variants[i]!.losses, name);
    }
  },
);

/** Kills a process and those that it has started. */
function killTree(pid: number): void {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "pid=", "--ppid", String(pid)] }).outputSync();
  for (const id of [pid, ...new TextDecoder().decode(stdout).split(/\s+/).map(Number).filter((id) => id > 0)]) {
    try {
      Deno.kill(id, "SIGKILL");
    } catch {
      // it has ended
    }
  }
}
