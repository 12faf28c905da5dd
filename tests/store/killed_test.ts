/** Concurrent processes that are killed at any moment. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { openStore } from "../../runtime/store/store.ts";
import { full } from "../support/full.ts";
import { checkWhole, spec } from "./synthetic_run.ts";
import { startWriter } from "./writer_process.ts";

const KILLS = full ? 40 : 16;
const AT_ONCE = 4;

/** Returns the delay before a kill in ms: well spread, and the same in every run of the test. */
function delay(kill: number): number {
  return (kill * 0.618034 % 1) * 25;
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

Deno.test(`after ${KILLS} killed writers, ${AT_ONCE} at once, no partial run looks complete and no reported run is lost`, async () => {
  const folder = await Deno.makeTempDir();
  const reported: string[] = [];
  for (let kill = 0; kill < KILLS; kill += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, i) => {
      const writer = startWriter(folder);
      // Some are killed while they open the store, others in their first run or a later one
      await writer.said((kill + i) % 6);
      await pause(delay(kill + i));
      writer.kill();
      const { ids, stderr } = await writer.end;
      strictEqual(stderr, "");
      reported.push(...ids);
    }));
  }
  using store = openStore(folder);
  const runs = store.find();
  const status = new Map(runs.map((run) => [run.id, run.status]));
  ok(reported.length > KILLS / 2, `only ${reported.length} runs were kept`);
  strictEqual(new Set(reported).size, reported.length);
  deepStrictEqual(reported.filter((id) => status.get(id) !== "complete"), []);
  checkWhole(store);
  const broken = runs.filter((run) => run.status !== "complete");
  ok(broken.length > KILLS / 10, `only ${broken.length} runs were interrupted`);
  deepStrictEqual([...new Set(broken.map((run) => run.status))], ["interrupted"]);
  for (const { id } of broken.slice(0, 10)) {
    const { recorder, ...run } = store.resume(id, spec());
    ok(recorder.rounds.length <= 3 && recorder.losses("baseline").length === 4 * recorder.rounds.length, run.id);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("writers in several processes keep all their runs", async () => {
  const folder = await Deno.makeTempDir();
  const ends = await Promise.all(Array.from({ length: AT_ONCE }, () => startWriter(folder, 25).end));
  deepStrictEqual(ends.map(({ code, stderr, ids }) => [code, stderr, ids.length]), ends.map(() => [0, "", 25]));
  const ids = ends.flatMap((end) => end.ids);
  using store = openStore(folder);
  deepStrictEqual(store.find({ status: "complete" }).map(({ id }) => id).sort(), ids.sort());
  checkWhole(store);
  await Deno.remove(folder, { recursive: true });
});
