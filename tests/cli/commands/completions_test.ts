/** Completions of command lines, and the scripts of real shells where they are installed. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { COMMANDS } from "../../../runtime/cli/commands/registry.ts";
import { complete } from "../../../runtime/cli/completion/complete.ts";
import { scriptCommand } from "../../../runtime/cli/flags.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { keepWhole } from "../../store/synthetic_run.ts";
import { TACHO } from "./tacho_process.ts";

async function textsOf(...words: readonly string[]): Promise<string[]> {
  const { candidates, paths } = await complete(words, COMMANDS);
  return [...candidates.map(({ text }) => text), ...paths === null ? [] : [`:${paths}`]];
}

Deno.test("commands, flags and their values are completed from the declarations", async () => {
  deepStrictEqual(await textsOf("ru"), ["run", "runs"]);
  deepStrictEqual(await textsOf("help", "comp"), ["compare-commits", "compare", "completions"]);
  deepStrictEqual(await textsOf("help", "set"), ["settings"]);
  deepStrictEqual(await textsOf("help", "settings", "loader.numW"), ["loader.numWorkers"]);
  deepStrictEqual(await textsOf("help", "run", ""), []);
  deepStrictEqual(await textsOf("nothing", ""), []);
  deepStrictEqual(await textsOf("init", "--temp"), ["--template"]);
  deepStrictEqual(await textsOf("init", "--template", ""), ["resnet", "own-model", "ci"]);
  deepStrictEqual(await textsOf("init", ""), [":folder"]);
  deepStrictEqual(await textsOf("show", "--sort=dev"), []);
  deepStrictEqual(await textsOf("show", "--group-by", "type,la"), ["type,layer"]);
  deepStrictEqual(await textsOf("export", "--format="), ["--format=json", "--format=csv"]);
  deepStrictEqual(await textsOf("export", "-o", "x"), [":file"]);
  deepStrictEqual(await textsOf("report", "--", "--o"), []);
});

Deno.test("after a script, its flags and the settings of every scenario are completed", async () => {
  deepStrictEqual(await textsOf("run", ""), [":file"]);
  const flags = await textsOf("run", "mine.ts", "--");
  const declared = scriptCommand().options.map(({ long }) => long);
  deepStrictEqual(declared.filter((long) => !flags.includes(long!)), []);
  ok(!(await textsOf("run", "--")).includes("--rounds"), "flags of a script before the script");
  deepStrictEqual(await textsOf("run", "mine.ts", "--rounds", "4", "loader.numW"), ["loader.numWorkers=", ":file"]);
  deepStrictEqual(
    await textsOf("run", "mine.ts", "amp=O0,O"),
    ["amp=O0,O0", "amp=O0,O1", "amp=O0,O2", "amp=O0,O3"]
      .concat(":file"),
  );
  ok((await textsOf("run", "mine.ts", "optimizer=")).includes("optimizer=sgd"));
});

Deno.test("every command declares its command line", async () => {
  for (const { name, load } of COMMANDS) {
    const flags = await textsOf(name, "--");
    deepStrictEqual((await load()).define().options.filter(({ long }) => !flags.includes(long!)), [], name);
  }
});

/** A folder with a `tacho` command and a store of one run, in which shells are asked. */
class Shells implements AsyncDisposable {
  readonly folder: string;
  readonly id: string;

  private constructor(folder: string, id: string) {
    this.folder = folder;
    this.id = id;
  }

  static async make(): Promise<Shells> {
    const folder = await Deno.makeTempDir({ prefix: "tacho-shells-" });
    const tacho = `#!/bin/sh\nexec "${Deno.execPath()}" run -q -A --no-check "${TACHO}" "$@"\n`;
    await Deno.writeTextFile(join(folder, "tacho"), tacho, { mode: 0o755 });
    await Deno.mkdir(join(folder, "scripts"));
    using store = openStore(join(folder, "store"));
    return new Shells(folder, keepWhole(store));
  }

  /** Runs a script of a shell and returns the lines that it prints. */
  async ask(shell: string, args: readonly string[], script: string): Promise<string[]> {
    const path = [this.folder, dirname(Deno.execPath()), Deno.env.get("PATH")].join(delimiter);
    const { code, stdout, stderr } = await new Deno.Command(shell, {
      args: [...args, "-c", script],
      cwd: this.folder,
      env: { PATH: path, HOME: this.folder, TACHO_STORE: join(this.folder, "store"), NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    strictEqual(code, 0, decoder.decode(stderr));
    return decoder.decode(stdout).split("\n").filter((line) => line !== "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function isInstalled(shell: string): Promise<boolean> {
  try {
    return (await new Deno.Command(shell, { args: ["-c", "exit 0"], stdin: "null" }).output()).success;
  } catch {
    return false;
  }
}

for (const shell of ["bash", "zsh", "fish"]) {
  if (!await isInstalled(shell)) console.log(`skipped: completion in ${shell}, which is not installed`);
}

Deno.test({ name: "bash completes", ignore: !await isInstalled("bash") }, async () => {
  await using shells = await Shells.make();
  // Bash hands over words that it has split at =
  const lines = await shells.ask(
    "bash",
    ["--norc"],
    `source <(tacho completions bash)
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tacho tacho; echo "\${COMPREPLY[*]}"; }
    try tacho ru
    try tacho run mine.ts amp = O0,O
    try tacho run mine.ts optimizer.kin
    try tacho show --csv = op
    try tacho run scr
    try tacho show la
    complete -p tacho`,
  );
  deepStrictEqual(lines, [
    "run runs",
    "O0,O0 O0,O1 O0,O2 O0,O3",
    "optimizer.kind=",
    "ops",
    "scripts",
    "last",
    "complete -F _tacho tacho",
  ]);
});

Deno.test({ name: "zsh completes", ignore: !await isInstalled("zsh") }, async () => {
  await using shells = await Shells.make();
  const lines = await shells.ask(
    "zsh",
    ["-f"],
    `autoload -Uz compinit; compinit -u -D; source <(tacho completions zsh)
    print $_comps[tacho]
    _describe() { print -l -- "\${(@P)3}"; }
    _files() { print files; }
    try() { words=("$@"); CURRENT=$#; _tacho; }
    try tacho ru
    try tacho run mine.ts loader.numW`,
  );
  const [registered, run, runs, files, setting] = lines;
  deepStrictEqual([registered, run, runs, files], [
    "_tacho",
    "run:run a scenario script",
    "runs:list the kept runs",
    "files",
  ]);
  match(setting!, /^loader\.numWorkers=:/);
});

Deno.test({ name: "fish completes", ignore: !await isInstalled("fish") }, async () => {
  await using shells = await Shells.make();
  const lines = await shells.ask(
    "fish",
    ["--no-config"],
    `tacho completions fish | source
    complete -C "tacho ru"
    complete -C "tacho run mine.ts loader.numW"
    complete -C "tacho run scr"
    complete -C "tacho show ${shells.id.slice(0, 4)}"`,
  );
  deepStrictEqual(lines.map((line) => line.split("\t")[0]), [
    "run",
    "runs",
    "loader.numWorkers=",
    "scripts/",
    shells.id,
  ]);
});
