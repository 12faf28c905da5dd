import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { AttachResult } from "@tacho/tacho/attach";
import { readRecords } from "../../../runtime/attach/programs/read_records.ts";
import { full } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";
import { program, start } from "./started.ts";

Deno.test("a program that handles a signal ends in its own way, and its report is whole", async () => {
  for (const signal of full ? ["SIGINT", "SIGTERM"] as const : ["SIGTERM"] as const) {
    await using place = await Place.make();
    const { child, stdout, stderr } = await start(place, "running as", "polite_program.ts");
    child.kill(signal);
    const report = await stderr.all();
    match(await stdout.all(), new RegExp(`ended by ${signal}`));
    match(report, /steps: the same kernels repeat/);
    strictEqual(report.includes("without notice"), false, report);
    deepStrictEqual([(await child.status).code, place.leftovers()], [7, []]);
  }
});

Deno.test("the second signal kills a program that ignores the first, and its report is whole", async () => {
  for (const [first, second] of [["SIGTERM", "SIGINT"], ...full ? [["SIGINT", "SIGINT"]] as const : []] as const) {
    await using place = await Place.make();
    const { child, stdout, stderr } = await start(place, "running as", "deaf_program.ts");
    child.kill(first);
    await stdout.until(`ignores ${first}`);
    child.kill(second);
    match(await stderr.all(), /ended without notice/);
    deepStrictEqual([(await child.status).code, place.leftovers()], [128 + 9, []]);
    await stdout.all();
  }
});

Deno.test({
  name: "SIGINT to the process group, as from Ctrl-C, ends the program and leaves one report",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using place = await Place.make();
    const { child, stderr } = await start(place, "running as", "endless_program.ts", "setsid");
    await new Deno.Command("kill", { args: ["-INT", "--", `-${child.pid}`] }).output();
    const report = await stderr.all();
    strictEqual(report.match(/steps: the same kernels repeat/g)?.length, 1, report);
    deepStrictEqual([(await child.status).code, place.leftovers()], [128 + 2, []]);
  },
});

Deno.test("a killed program that never waits for the device leaves a report, too", async () => {
  await using place = await Place.make();
  const { child, stderr, number } = await start(place, "running as", "unwaiting_program.ts");
  Deno.kill(number, "SIGKILL");
  const report = await stderr.all();
  match(report, /ended without notice/);
  match(report, /\d steps: steps begin at performance marks named "step"/);
  deepStrictEqual([(await child.status).code, place.leftovers()], [128 + 9, []]);
});

Deno.test("without timestamps there are counts, dashes for times, and one line", async () => {
  await using place = await Place.make();
  const preload = ["--preload", join(import.meta.dirname!, "hide_timestamps.ts")];
  const { code, stderr } = await place.tacho(
    ["attach", "--json", "out.json", "--", "deno", "test", "-A", "--no-check", ...preload, program("test_program.ts")],
  );
  strictEqual(code, 0, stderr);
  strictEqual(stderr.match(/no times of kernels/g)?.length, 1, stderr);
  match(stderr, /\nslow #\w+ .*–/);
  const { devices } = JSON.parse(Deno.readTextFileSync(join(place.folder, "out.json"))) as AttachResult;
  const [{ timestamps, account, perStep, kernels }] = devices as [AttachResult["devices"][number]];
  deepStrictEqual([timestamps, account, perStep!.dispatches], ["none", null, 4]);
  deepStrictEqual(kernels.map(({ label, dispatches, total }) => [label, dispatches, total]), [
    ["quick", 12, null],
    ["slow", 6, null],
    ["", 6, null],
  ]);
});

Deno.test("a file that was cut off counts up to there", async () => {
  await using place = await Place.make();
  const first = { kind: "start", version: 1, realm: "main", time: 0, timeOrigin: 0 };
  const lines = [first, { kind: "note", text: "a" }].map((record) => JSON.stringify(record));
  const kept = async (text: string) => {
    await place.write("records/a.jsonl", text);
    return (await readRecords(join(place.folder, "records"))).map((records) => records.length);
  };
  deepStrictEqual(await kept(`${lines.join("\n")}\n`), [2]);
  deepStrictEqual(await kept(`${lines.join("\n")}\n{"kind":"no`), [2]);
  deepStrictEqual(await kept(`${lines.join("\n")}\n{"kind":"no{"kind":"end"}\n{"kind":"end"}\n`), [2]);
  deepStrictEqual(await kept(`${lines[0]!.slice(0, 9)}`), []);
});
