import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { AttachResult } from "@tacho/tacho/attach";

import { run } from "../../../runtime/cli/commands/attach.ts";
import { preloadedCommand } from "../../../runtime/attach/programs/preloaded_command.ts";
import { fullTest } from "../../support/full.ts";
import { ProcessOutput } from "../../support/process_output.ts";
import { parseTrace, validateTrace } from "../../support/trace_validator.ts";
import { Place } from "../tacho_process.ts";
import { program, start } from "./started.ts";

const EDGES = join(import.meta.dirname!, "..", "..", "attach", "edge_program.ts");

Deno.test("the program's output and status stay, and the report is on stderr", async () => {
  await using place = await Place.make();
  const { code, stdout, stderr } = await place.tacho(
    ["attach", "--stack", "--top", "1", "--json", "out.json", "--", "deno", "run", "-A", "--no-check", EDGES, "exit"],
  );
  strictEqual(code, 5);
  ok(stdout.startsWith("true mixed mixed\n") && stdout.endsWith("worker 6\n"), stdout);
  match(stderr, /attach: .+\n +no steps: /);
  match(stderr, /\d validation errors\n/);
  match(stderr, /in worker edge_worker\.ts/);
  const result = JSON.parse(await Deno.readTextFile(join(place.folder, "out.json"))) as AttachResult;
  deepStrictEqual([result.kind, result.complete, result.devices.length], ["attach", true, 2]);
  strictEqual(result.devices[0]!.totals.dispatches, 2111);
  deepStrictEqual(place.leftovers(), []);
});

Deno.test("a program's report has a page, Markdown and a valid trace, and its result is kept", async () => {
  await using place = await Place.make();
  const { stderr } = await place.tacho(
    ["attach", "--report", "out", "--", "deno", "test", "-A", "--no-check", program("test_program.ts")],
  );
  const read = (name: string) => Deno.readTextFileSync(join(place.folder, "out", name));
  deepStrictEqual(validateTrace(read("trace.json")), []);
  const trace = parseTrace(read("trace.json"));
  const named = (name: string) =>
    trace.traceEvents.filter((event) => event.ph === "X" && event.name.startsWith(name)).length;
  const steps = named("slow #"); // timed ones
  ok(steps >= 3 && steps <= 6, `${steps} steps`);
  deepStrictEqual([named("quick #"), named("submit")], [2 * steps, 2 * steps]);
  match(read("report.html"), /<h3 id="kernels">Kernels: 3, by time of a step<\/h3>/);
  match(read("report.md"), /\| slow #\w+ \| 1 \|/);
  const id = /kept as (\w+);/.exec(stderr)![1]!;
  const inside = (...args: string[]) => place.inside(["attach", ...args]);
  match((await inside("--kept")).stdout, new RegExp(`1 attached program[^]*${id}.*deno test -A`));
  const shown = await inside("--show", "last", "--json", "shown.json");
  ok(shown.stdout.startsWith(`${id}, `) && shown.stdout.includes("slow #"), shown.stdout);
  deepStrictEqual(JSON.parse(Deno.readTextFileSync(join(place.folder, "shown.json"))), JSON.parse(read("result.json")));
  match((await place.here("runs")).stdout, new RegExp(`1 attached program[^]*${id}`));
  match((await place.here("runs", "resnet")).stdout, /No kept run in .* matches/);
  strictEqual((await place.here("show", id)).stdout, shown.stdout);
  match((await place.here("show", id, "--csv", "ops")).stderr, /--csv: .* is an attached program/);
  match((await inside("--show", "zzz")).stderr, /Unknown attached program "zzz"/);
});

fullTest("tests are recorded, with few permissions", async () => {
  await using place = await Place.make();
  const { code, stdout, stderr } = await place.tacho(
    ["attach", "--", "deno", "test", "--no-check", "--allow-read", program("test_program.ts")],
  );
  strictEqual(code, 0, stderr);
  match(stdout, /1 passed/);
  match(stderr, /6 steps: the same kernels repeat every wait/);
  match(stderr, /\nslow #/);
});

Deno.test("a signal to tacho reaches the program, whose status is that of a shell", async () => {
  await using place = await Place.make();
  const { child, stderr } = await start(place, "running as", "endless_program.ts");
  child.kill("SIGTERM");
  match(
    await stderr.all(),
    /the program ended without notice: what it did last may be missing[^]*steps: the same kernels repeat/,
  );
  strictEqual((await child.status).code, 128 + 15);
});

Deno.test("a program that is killed leaves a report of what it did until then", async () => {
  await using place = await Place.make();
  const { child, stderr, number } = await start(place, "running as", "endless_program.ts");
  Deno.kill(number, "SIGKILL");
  match(
    await stderr.all(),
    /the program ended without notice: what it did last may be missing[^]*steps: the same kernels repeat/,
  );
  deepStrictEqual((await child.status).code, 137);
});

Deno.test("a server is recorded by its requests", async () => {
  await using place = await Place.make();
  const { child, stderr, number } = await start(place, "listening on", "serve_program.ts");
  for (let i = 0; i < 5; i++) await (await fetch(`http://127.0.0.1:${number}/`)).text();
  await (await fetch(`http://127.0.0.1:${number}/end`)).text();
  match(await stderr.all(), /5 steps: the same kernels repeat/);
  strictEqual((await child.status).code, 0);
});

fullTest("deno serve is recorded by its requests, with its own permissions", async () => {
  await using place = await Place.make();
  await place.write(
    "app.ts",
    `import { openDevice, runPlanted } from ${JSON.stringify(import.meta.resolve("../../library/attach/planted.ts"))};
     const device = await openDevice();
     export default {
       onListen: ({ port }: Deno.NetAddr) => console.log("listening on", port, "now"),
       async fetch({ url }: Request) {
         if (url.endsWith("/end")) Deno.exit(3);
         await runPlanted(device, { steps: 1 });
         return new Response(Deno.args.join());
       },
     };`,
  );
  const serve = ["serve", "--no-check", "--port", "0", "--host=127.0.0.1", "--allow-read", "--allow-env", "app.ts"];
  const child = place.start(["attach", "--", "deno", ...serve, "a", "-b"]);
  const [stdout, stderr] = [new ProcessOutput(child.stdout), new ProcessOutput(child.stderr)];
  await stdout.until(" now");
  const port = Number(/listening on (\d+) now/.exec(await stdout.line())![1]);
  for (let i = 0; i < 5; i++) strictEqual(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "a,-b");
  await fetch(`http://127.0.0.1:${port}/end`).catch(() => {}); // it may end before it has answered
  match(await stderr.all(), /5 steps: the same kernels repeat/);
  strictEqual((await child.status).code, 3);
});

const WRONG: readonly (readonly [args: string[], message: RegExp])[] = [
  [[], /expected -- and a command, such as: tacho attach -- deno run/],
  [["deno", "run", "x.ts"], /expected -- before the command: tacho attach -- deno run x\.ts/],
  [
    ["--steps", "mark", "node", "a b.js"],
    /expected -- before the command: tacho attach --steps mark -- node 'a b\.js'/,
  ],
  [["x.ts", "--", "deno", "run", "x.ts"], /expected -- before the command, got "x\.ts"/],
  [["--"], /expected -- and a command/],
  [["--", "python", "x.py"], /expected a command that begins with deno or node, got "python"/],
  [["--", "node"], /expected node and a program, such as: node program\.js; got "node "/],
  [["--", "deno", "fmt"], /expected deno run, test, bench, serve or a program, got "deno fmt"/],
  [["--", "deno", "serve", "-A"], /deno serve: expected a program, such as app\.ts/],
  [["--", "deno", "serve", "--parallel", "x.ts"], /deno serve --parallel is not supported/],
  [["--", "deno", "serve", "--port", "x", "x.ts"], /--port: expected a number from 0 to 65535, got "x"/],
  [["--steps", "often", "--", "deno", "x.ts"], /--steps: expected auto, wait, submit:N or mark, got "often"/],
  [["--budget", "5", "--", "deno", "x.ts"], /--budget: expected per cent above 0, such as 5%, got "5"/],
  [["--json", "-", "--", "deno", "x.ts"], /stdout is the program's; expected a file name/],
];

Deno.test("wrong command lines are refused before the program starts", async () => {
  for (const [args, message] of WRONG) await rejects(run(args), { name: "InputError", message });
});

Deno.test("the recorder is added to the command line, and few permissions become one more", () => {
  const recorded = (...command: string[]) =>
    preloadedCommand("tacho attach", command, { specifier: "PRELOAD", folder: "/records" }).args;
  deepStrictEqual(recorded("deno", "run", "-A", "x.ts"), ["run", "--preload", "PRELOAD", "-A", "x.ts"]);
  deepStrictEqual(recorded("/usr/bin/deno", "-RW", "x.ts"), ["run", "--preload", "PRELOAD", "-RW", "x.ts"]);
  deepStrictEqual(
    recorded("deno", "bench", "--allow-read", "--", "-A"),
    ["bench", "--preload", "PRELOAD", "--allow-write=/records", "--allow-read", "--", "-A"],
  );
  // Arguments of the program are no flags of Deno
  const flags = ["-R", "--config", "deno.json", "--ext", "ts"];
  for (const argument of ["-A", "-Wall", "--allow-write"]) {
    deepStrictEqual(
      recorded("deno", "run", ...flags, "x", argument),
      ["run", "--preload", "PRELOAD", "--allow-write=/records", ...flags, "x", argument],
    );
  }
  deepStrictEqual(recorded("deno", "run", ...flags, "-A", "x"), ["run", "--preload", "PRELOAD", ...flags, "-A", "x"]);
});

Deno.test("a program whose permissions forbid recordings is named with what to do", async () => {
  await using place = await Place.make();
  await place.write("plain.ts", "console.log(1);");
  const { code, stdout, stderr } = await place.tacho(["attach", "--", "deno", "-A", "--deny-write", "plain.ts"]);
  deepStrictEqual([code, stdout], [2, ""]);
  match(stderr, /^tacho: the program's permissions forbid the recorder to write below \/.*: allow writing there/);
});

Deno.test("a program without WebGPU runs as it is", async () => {
  await using place = await Place.make();
  await place.write("plain.ts", "console.log(Deno.args.join(), import.meta.main);");
  const { code, stdout, stderr } = await place.tacho(["attach", "--", "deno", "plain.ts", "--", "a", "-A"]);
  deepStrictEqual([code, stdout], [0, "--,a,-A true\n"]);
  match(stderr, /the program requested no WebGPU device/);
});
