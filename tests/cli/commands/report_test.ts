import { deepStrictEqual, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { openStore } from "../../../runtime/store/store.ts";
import { keepWhole, round, start } from "../../store/synthetic_run.ts";
import { tacho } from "./tacho_process.ts";

Deno.test("the report of a kept run is written to a folder, and a run without a result is refused", async () => {
  const folder = await Deno.makeTempDir();
  try {
    let whole: string;
    let killed: string;
    {
      using store = openStore(folder);
      whole = keepWhole(store, 100);
      const begun = store.begin(start());
      begun.recorder.keepRound(round(0));
      begun.abandon();
      killed = begun.id;
    }
    const out = join(folder, "a", "report");
    const [done, refused, unwritable] = await Promise.all([
      tacho(folder, "report", whole, "--out", out),
      tacho(folder, "report", killed, "--out", join(folder, "b")),
      tacho(folder, "report", whole, "--out", join(folder, "runs.sqlite")),
    ]);
    deepStrictEqual([done.code, done.stderr, done.stdout], [0, "", `${join(out, "report.html")}\n`]);
    const files = [...Deno.readDirSync(out)].map(({ name }) => name).sort();
    deepStrictEqual(files, ["profile.csv", "report.html", "report.md", "result.json"]);
    const html = await Deno.readTextFile(join(out, "report.html"));
    ok(html.includes("deno run -A /home/someone/synthetic.ts --rounds 3"));
    deepStrictEqual([refused.code, refused.stdout], [2, ""]);
    match(refused.stderr, new RegExp(`^error: Run ${killed} has no result to report`));
    deepStrictEqual(unwritable.code, 2);
    match(unwritable.stderr, /cannot be written \(it is not a folder\)/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
