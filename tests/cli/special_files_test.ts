/** Commands that are given pipes, sockets and devices, or find some in folders: none waits for them. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { openStore } from "../../runtime/store/store.ts";
import { keepWhole } from "../store/synthetic_run.ts";
import { makePipe, SPECIAL_FILES } from "../support/special_files.ts";
import { Place, TACHO } from "./tacho_process.ts";

const COMMANDS = new URL("./commands_script.ts", import.meta.url).href;
const REHEARSAL = new URL("./rehearsal_script.ts", import.meta.url).href;

/** Time after which a process counts as stuck, in ms. */
const STUCK = 300_000;

/** A command, and the path of its special file. */
interface Case {
  readonly args: readonly string[];
  readonly path: string;
  readonly stderr: RegExp;
}

/** Inputs. */
const INPUTS: readonly Case[] = [
  { args: ["onnx", "f.onnx"], path: "f.onnx", stderr: /^error: onnx: .*f\.onnx is not a file/ },
  {
    args: ["merge", "m-1-of-2.tacho.jsonl"],
    path: "m-1-of-2.tacho.jsonl",
    stderr: /m-1-of-2\.tacho\.jsonl is not a file/,
  },
  { args: ["repeat", "x.lock.json"], path: "x.lock.json", stderr: /^error: x\.lock\.json is not a file; expected/ },
  { args: ["run", "f.ts"], path: "f.ts", stderr: /^error: f\.ts is not a file; expected a script/ },
];

/** Outputs. The kept run is `last`. */
const OUTPUTS: readonly Case[] = [
  { args: ["export", "-o", "f.json"], path: "f.json", stderr: /^error: --output f\.json: .*is a pipe/ },
  { args: ["show", "last", "--json", "f.json"], path: "f.json", stderr: /^error: --json f\.json: .*is a pipe/ },
  { args: ["report", "last", "--out", "f"], path: "f/report.md", stderr: /^error: .* f: .*report\.md is a pipe/ },
  { args: ["report", "last", "--out", "f"], path: "f", stderr: /^error: .* f: .*it is not a folder/ },
];

/** Runs commands, each in its place, in one process, which is killed if one of them is stuck. */
async function check(cases: readonly (readonly [place: Place, one: Case])[]): Promise<void> {
  const commands = cases.map(([{ folder }, { args }]) => ({ folder, args }));
  const child = cases[0]![0].command([COMMANDS, JSON.stringify(commands)], {}).spawn();
  const { stdout, stderr } = await endOf(child);
  const outcomes = stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line) as { code: number; stderr: string });
  for (const [i, [, one]] of cases.entries()) {
    const outcome = outcomes[i];
    assert(outcome !== undefined, `${one.args.join(" ")} with ${one.path} is stuck, or ended the process: ${stderr}`);
    checkRefused(one, outcome.code, outcome.stderr);
  }
}

/** Waits for a process, and kills it if it is stuck. */
async function endOf(child: Deno.ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
  const timer = setTimeout(() => child.kill("SIGKILL"), STUCK);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

function checkRefused({ args, path, stderr: expected }: Case, code: number, stderr: string): void {
  const what = `${args.join(" ")} with ${path}: ${stderr}`;
  assert.equal(code, 2, what);
  assert.match(stderr, expected, what);
  assert.doesNotMatch(stderr, /^ {4}at |TypeError|Unexpected error/m, what);
}

/** Makes a place with a kept run. */
async function placeWithRun(): Promise<Place> {
  const place = await Place.make();
  using store = openStore(join(place.folder, "store"));
  keepWhole(store);
  return place;
}

Deno.test({
  name: "an input that is a pipe or a device is refused at once",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using stack = new AsyncDisposableStack();
    const cases: [Place, Case][] = [];
    for (const kind of ["a pipe", "a link to a device"]) {
      const place = stack.use(await placeWithRun());
      for (const one of INPUTS) {
        stack.use(SPECIAL_FILES[kind]!(join(place.folder, one.path)));
        cases.push([place, one]);
      }
    }
    await check(cases);
  },
});

Deno.test({
  name: "an output that is a pipe is refused at once, also in the folder of a report",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using stack = new AsyncDisposableStack();
    const cases: [Place, Case][] = [];
    for (const one of OUTPUTS) {
      const place = stack.use(await placeWithRun());
      Deno.mkdirSync(dirname(join(place.folder, one.path)), { recursive: true });
      makePipe(join(place.folder, one.path));
      cases.push([place, one]);
    }
    await check(cases);
  },
});

Deno.test({
  name: "a run whose output is a pipe is refused before it measures",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using place = await Place.make();
    makePipe(join(place.folder, "f.json"));
    const args = ["--json", "f.json"];
    const expected = /^error: --json f\.json: cannot be written \(f\.json is a pipe/m;
    const { code, stderr } = await endOf(place.command([REHEARSAL, ...args], {}).spawn());
    checkRefused({ args, path: "f.json", stderr: expected }, code, stderr);
  },
});

Deno.test({
  name: "a pipe that the shell gives, and /dev/stdout, can be outputs",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using place = await placeWithRun();
    for (const target of ["/dev/stdout", ">(cat)"]) {
      const show = `"$0" run -q -A --no-check ${TACHO} show last --json ${target} --store store | cat`;
      const { stdout } = await new Deno.Command("bash", { args: ["-c", show, Deno.execPath()], cwd: place.folder })
        .output();
      const text = new TextDecoder().decode(stdout);
      assert.ok(JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).schemaVersion > 0, target);
    }
  },
});
