import assert from "node:assert/strict";
import { join } from "node:path";
import { openStore } from "../../../runtime/store/store.ts";
import { tachoHere } from "../tacho_here.ts";
import { tacho } from "./tacho_process.ts";
import { fullTest } from "../../support/full.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const SCRIPT = new URL("./sharded_script.ts", import.meta.url).pathname;

// tests/shards/plan merges shards without running them
fullTest("shards merge into a run with the losses of the whole sweep, which the other commands accept", async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  const store = join(folder, "store");
  const shards = [1, 2].map((shard) => join(folder, `sharded-${shard}-of-2.tacho.jsonl`));
  const short = ["run", SCRIPT, "--rounds", "2", "--shard-dir", folder];
  const runs = await Promise.all([1, 2].map((shard) => tacho(store, ...short, "--shard", `${shard}/2`)));
  for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
  const whole = await tacho(store, "run", SCRIPT, "--rounds", "2");
  assert.equal(whole.code, 0, whole.stderr);
  const first = await tachoHere(store, "merge", ...shards);
  const again = await tachoHere(store, "merge", ...shards.toReversed());
  assert.deepEqual([first.code, again.code], [0, 0], first.stderr);
  const id = first.stderr.match(/kept as (\w+)/)?.[1] ?? "";
  assert.match(again.stderr, new RegExp(`kept as ${id} `));
  assert.match(first.stdout, /Nodes\n.*[\s\S]*1\/2 [\s\S]*2\/2 /);
  const wholeId = whole.stderr.match(/kept as (\w+)/)?.[1] ?? whole.stdout.match(/kept as (\w+)/)?.[1] ?? "";
  {
    using kept = openStore(store);
    const [merged, unsharded] = [kept.result(id)!, kept.result(wholeId)!];
    assert.deepEqual(merged.variants.map(({ name }) => name), unsharded.variants.map(({ name }) => name));
    for (const [i, { losses, name }] of merged.variants.entries()) {
      const common = Math.min(losses.length, unsharded.variants[i]!.losses.length); // warm-ups may differ in length
      assert(common >= 4);
      assert.deepEqual(losses.slice(0, common), unsharded.variants[i]!.losses.slice(0, common), name);
    }
  }
  const report = join(folder, "report");
  const others = [
    ["show", id],
    ["compare", wholeId, id],
    ["gate", id, "finalLoss.*<100"],
    ["report", id, "--out", report],
  ];
  for (const args of others) {
    const { code, stderr } = await tachoHere(store, ...args);
    assert.equal(code, 0, `${args[0]}: ${stderr}`);
  }
});
