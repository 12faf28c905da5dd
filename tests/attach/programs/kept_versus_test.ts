import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { openStoreToRead } from "../../../runtime/store/store.ts";
import { TACHO, tacho } from "../../cli/commands/tacho_process.ts";
import { tachoHere } from "../../cli/tacho_here.ts";
import { full } from "../../support/full.ts";

const train = join(import.meta.dirname!, "../../fixtures/programs/train.ts");

/** Returns the number of complete rounds of the latest run. */
function rounds(folder: string): number {
  using store = openStoreToRead(folder);
  const id = store?.find({ limit: 1 })[0]?.id;
  return id === undefined ? 0 : store!.result(id)?.procedure?.rounds ?? store!.roundCount(id);
}

Deno.test("an interrupted comparison of programs is resumed, and starts them again; in the full set it is repeated, too", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const go = join(folder, "go");
    const command = (work: number) => `deno run -A --no-check ${train} mark work=${work} hold=${go}`;
    const flags = ["--steps", "mark", "--block", "2", "--skip", "0", "--rounds", "6"];
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", TACHO, "versus", ...flags, `a=${command(1)}`, `b=${command(2)}`],
      env: { TACHO_STORE: folder },
      stdout: "null",
      stderr: "null",
    }).spawn();
    // The programs are held in the fourth round
    while (rounds(folder) < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGINT");
    equal((await child.status).code, 130);
    equal(rounds(folder), 3);
    await Deno.writeTextFile(go, "");

    const resumed = await tacho(folder, "resume");
    equal(resumed.code, 0, resumed.stderr);
    match(resumed.stderr, /kept as \S+ \(tacho show/);
    equal(rounds(folder), 6);

    if (full) {
      const repeated = await tacho(folder, "repeat", "last", "--rounds", "2");
      match(repeated.stdout, /the environment is the same[^]*2 rounds[^]*then [^]*now [^]*identical/);
    }
    const locked = await tachoHere(folder, "lock", "last");
    deepEqual([locked.code, /it compared programs\. tacho repeat \S+ starts/.test(locked.stderr)], [2, true]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
