import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { openerOf } from "../../../runtime/cli/open_page.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { keepWhole, round, start } from "../../store/synthetic_run.ts";
import { tachoHere as tacho } from "../tacho_here.ts";
import { TACHO } from "./tacho_process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

Deno.test("the report of a kept run is written to a folder, and a run without a result is refused", async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
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
  deepStrictEqual(files, ["plots", "profile.csv", "report.html", "report.md", "result.json"]);
  const html = await Deno.readTextFile(join(out, "report.html"));
  ok(html.includes("deno run -A /home/someone/synthetic.ts --rounds 3"));
  deepStrictEqual([refused.code, refused.stdout], [2, ""]);
  match(refused.stderr, new RegExp(`^error: Run ${killed} has no result to report`));
  deepStrictEqual(unwritable.code, 2);
  match(unwritable.stderr, /^error: --out .*: cannot be written \(it is not a folder\)/);
});

Deno.test({
  name: "--open passes the page to the system's opener, and names it if there is none",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  {
    using store = openStore(folder);
    keepWhole(store, 100);
  }
  const bin = join(folder, "bin");
  await Deno.mkdir(bin);
  const open = async (opener: string | null) => {
    if (opener !== null) await Deno.writeTextFile(join(bin, "xdg-open"), `#!/bin/sh\n${opener}\n`, { mode: 0o755 });
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", TACHO, "report", "--open"],
      cwd: folder,
      env: { TACHO_STORE: folder, NO_COLOR: "1", PATH: bin },
      stdin: "null",
    }).output();
    const [page, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
    strictEqual(code, 0, error);
    match(page!, /^report-\w{12}\/report\.html$/);
    return { page: page!, error: error! };
  };
  const none = await open(null);
  strictEqual(
    none.error,
    `warning: ${none.page} could not be opened: xdg-open was not found; ` +
      "open it in a browser yourself",
  );
  const failing = await open("exit 3");
  match(failing.error, /could not be opened: xdg-open ended with status 3;/);
  const opened = await open(`echo "$1" > opened`);
  strictEqual(opened.error, "");
  strictEqual(
    (await Deno.readTextFile(join(folder, "opened"))).trim(),
    join(await Deno.realPath(folder), opened.page),
  );
});

Deno.test("each system has its opener", () => {
  deepStrictEqual(openerOf("linux", "/a b"), ["xdg-open", "/a b"]);
  deepStrictEqual(openerOf("darwin", "/a b"), ["open", "/a b"]);
  deepStrictEqual(openerOf("windows", "C:\\a b"), ["cmd", "/c", "start", "", "C:\\a b"]);
});
