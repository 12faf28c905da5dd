/** Commands that are given pipes, sockets and devices, or find some in folders: none waits for them. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { openStore } from "../../runtime/store/store.ts";
import { keepWhole } from "../store/synthetic_run.ts";
import { makePipe, SPECIAL_FILES } from "../support/special_files.ts";
import { Place } from "./tacho_process.ts";

const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).href;
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

async function check(place: Place, script: string, { args, path, stderr: expected }: Case): Promise<void> {
  const child = place.command([script, ...args], {}).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), STUCK);
  const { code, signal, stderr } = await child.output();
  clearTimeout(timer);
  const text = new TextDecoder().decode(stderr);
  const what = `${args.join(" ")} with ${path}: ${text}`;
  assert.equal(signal, null, `${what} is stuck`);
  assert.equal(code, 2, what);
  assert.match(text, expected, what);
  assert.doesNotMatch(text, /^ {4}at |TypeError|Unexpected error/m, what);
}

async function withKeptRun(test: (place: Place) => Promise<void>): Promise<void> {
  await using place = await Place.make();
  {
    using store = openStore(join(place.folder, "store"));
    keepWhole(store);
  }
  await test(place);
}

Deno.test({
  name: "an input that is a pipe or a device is refused at once",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    for (const kind of ["a pipe", "a link to a device"]) {
      await withKeptRun(async (place) => {
        for (const one of INPUTS) {
          using _special = SPECIAL_FILES[kind]!(join(place.folder, one.path));
          await check(place, TACHO, one);
        }
      });
    }
  },
});

Deno.test({
  name: "an output that is a pipe is refused at once, also in the folder of a report",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    for (const one of OUTPUTS) {
      await withKeptRun(async (place) => {
        Deno.mkdirSync(dirname(join(place.folder, one.path)), { recursive: true });
        makePipe(join(place.folder, one.path));
        await check(place, TACHO, one);
      });
    }
  },
});

Deno.test({
  name: "a run whose output is a pipe is refused before it measures",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withKeptRun(async (place) => {
      makePipe(join(place.folder, "f.json"));
      const expected = /^error: --json f\.json: cannot be written \(f\.json is a pipe/m;
      await check(place, REHEARSAL, { args: ["--json", "f.json"], path: "f.json", stderr: expected });
    });
  },
});

Deno.test({
  name: "a pipe that the shell gives, and /dev/stdout, can be outputs",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await withKeptRun(async (place) => {
      for (const target of ["/dev/stdout", ">(cat)"]) {
        const show = `"$0" run -q -A --no-check ${TACHO} show last --json ${target} --store store | cat`;
        const { stdout } = await new Deno.Command("bash", { args: ["-c", show, Deno.execPath()], cwd: place.folder })
          .output();
        const text = new TextDecoder().decode(stdout);
        assert.ok(JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).schemaVersion > 0, target);
      }
    });
  },
});
