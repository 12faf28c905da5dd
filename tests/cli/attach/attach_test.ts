import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { AttachResult } from "@tacho/tacho/attach";
import { ProcessOutput } from "../../support/process_output.ts";
import { Place } from "../tacho_process.ts";

const program = (name: string) => join(import.meta.dirname!, name);
const EDGES = join(import.meta.dirname!, "..", "..", "attach", "edge_program.ts");

/** Starts a recorded program that prints `words` and a number, and returns the number. */
async function start(place: Place, words: string, name: string) {
  const child = place.start(["attach", "--", "deno", "run", "-A", "--no-check", program(name)]);
  const stdout = new ProcessOutput(child.stdout);
  const stderr = new ProcessOutput(child.stderr);
  await stdout.until(" now");
  const number = Number(new RegExp(`${words} (\\d+) now`).exec(await stdout.line())![1]);
  return { child, stdout, stderr, number };
}

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

Deno.test("tests are recorded, with few permissions", async () => {
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
  match(await stderr.all(), /the program was killed: what it did last is missing[^]*steps: the same kernels repeat/);
  strictEqual((await child.status).code, 128 + 15);
});

Deno.test("a program that is killed leaves a report of what it did until then", async () => {
  await using place = await Place.make();
  const { child, stderr, number } = await start(place, "running as", "endless_program.ts");
  Deno.kill(number, "SIGKILL");
  match(await stderr.all(), /the program was killed: what it did last is missing[^]*steps: the same kernels repeat/);
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

const WRONG: readonly (readonly [args: string[], message: RegExp])[] = [
  [["deno", "run", "x.ts"], /expected -- and a command, such as: tacho attach -- deno run/],
  [["--"], /expected -- and a command/],
  [["--", "python", "x.py"], /expected a command that begins with deno, got "python"/],
  [["--", "deno", "fmt"], /expected deno run, test, bench, serve or a program, got "deno fmt"/],
  [["--steps", "often", "--", "deno", "x.ts"], /--steps: expected auto, wait, submit:N or mark, got "often"/],
  [["--budget", "5", "--", "deno", "x.ts"], /--budget: expected per cent above 0, such as 5%, got "5"/],
  [["--json", "-", "--", "deno", "x.ts"], /stdout is the program's; expected a file name/],
];

Deno.test("wrong command lines are refused before the program starts", async () => {
  await using place = await Place.make();
  for (const [args, message] of WRONG) {
    const { code, stderr } = await place.tacho(["attach", ...args]);
    strictEqual(code, 2, stderr);
    match(stderr, message);
  }
});

Deno.test("a program without WebGPU runs as it is", async () => {
  await using place = await Place.make();
  await place.write("plain.ts", "console.log(Deno.args.join(), import.meta.main);");
  const { code, stdout, stderr } = await place.tacho(["attach", "--", "deno", "plain.ts", "--", "a", "-A"]);
  deepStrictEqual([code, stdout], [0, "--,a,-A true\n"]);
  match(stderr, /the program requested no WebGPU device/);
});
