import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { COMMANDS } from "../../../runtime/cli/commands/registry.ts";
import { documentSchema } from "../../../runtime/scenario/document.ts";
import { tachoHere } from "../tacho_here.ts";

const tacho = (...args: readonly string[]) => tachoHere("/none", ...args);

/** Titles of the sections of a help text, with the first word of each line below them that is not continued. */
function sectionsOf(text: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let names: string[] = [];
  for (const line of text.split("\n")) {
    const title = line.match(/^(\S.*):$/)?.[1];
    const name = line.match(/^ {2}(\S+)/)?.[1];
    if (title !== undefined) sections.set(title, names = []);
    else if (name !== undefined) names.push(name);
  }
  return sections;
}

Deno.test("tacho --help lists every command once, in groups, the ten to start with first, on one screen of 80 columns", async () => {
  const { code, stdout } = await tacho("--help");
  strictEqual(code, 0);
  const sections = sectionsOf(stdout);
  strictEqual([...sections.keys()][0], "Start here");
  strictEqual([...sections.values()][0]!.length, 10);
  deepStrictEqual([...sections.values()].flat(), COMMANDS.map(({ name }) => name));
  deepStrictEqual([...sections.keys()], [...new Set(COMMANDS.map(({ group }) => group))]);
  const lines = stdout.trimEnd().split("\n");
  ok(lines.length <= 50, `${lines.length} lines`);
  for (const line of lines) ok(line.length <= 80, line);
});

Deno.test("tacho help lists the commands or explains one of them, and names the topic that is meant", async () => {
  const [overview, flag, topic, own, typo, words] = await Promise.all([
    tacho("help"),
    tacho("--help"),
    tacho("help", "prune"),
    tacho("prune", "--help"),
    tacho("help", "setings"),
    tacho("help", "prune", "keep"),
  ]);
  deepStrictEqual(overview, flag);
  deepStrictEqual(topic, own);
  deepStrictEqual([typo.code, typo.stderr], [
    2,
    'error: tacho help: unknown topic "setings"; did you mean "settings"?\n',
  ]);
  deepStrictEqual([words.code, words.stderr], [2, 'error: tacho help: only settings takes a word, got "keep"\n']);
});

Deno.test("tacho help settings lists every setting with type and default, equal kinds together", async () => {
  const { code, stdout } = await tacho("help", "settings");
  strictEqual(code, 0);
  const sections = sectionsOf(stdout);
  const { common, kinds } = documentSchema();
  deepStrictEqual(sections.get("Settings of every scenario"), common.map(({ path }) => path));
  const listed = new Set([...sections.values()].flat());
  const all = kinds.flatMap(({ members }) => members.flatMap(({ keys }) => keys.map(({ path }) => path)));
  deepStrictEqual(all.filter((path) => !listed.has(path)), []);
  strictEqual(stdout.match(/^ {2}data\.cache\.limit /gm)?.length, 1);
  match(stdout, /^ {2}loader\.batchSize +samples per batch[^]*?\(integer >= 1;\s+default 32\)$/m);
  match(stdout, /^schedule step:\n {2}schedule\.stepSize [^]*?required\)$/m);
  ok(!stdout.includes("here "), "values of a scenario");
  for (const line of stdout.split("\n")) ok(line.length <= 100, line);
});

Deno.test("with a word, it lists the settings that have it in name, kind, values or description", async () => {
  const [name, kind, value, description] = await Promise.all(
    ["CACHE", "lion", "nchw", "overflow"].map((word) => tacho("help", "settings", word)),
  );
  deepStrictEqual([...sectionsOf(name!.stdout)], [
    ["Settings of every scenario", ["compile.autotune.cache"]],
    ["data of every kind", ["data.cache.in", "data.cache.after", "data.cache.limit", "data.cache.fill"]],
  ]);
  const lion = sectionsOf(kind!.stdout);
  deepStrictEqual([...lion.keys()], ["Settings of every scenario", "optimizer lion"]);
  deepStrictEqual(lion.get("Settings of every scenario"), ["optimizer.kind"]);
  deepStrictEqual([...sectionsOf(value!.stdout).values()].flat(), ["compile.layout"]);
  deepStrictEqual([...sectionsOf(description!.stdout).values()].flat(), [
    "amp.scaler.growth",
    "amp.scaler.interval",
    "amp.scaler.backoff",
  ]);
});

Deno.test("for a word of no setting, one message names the setting that is meant", async () => {
  for (
    const [word, meant] of [
      ["numWorkres", "numWorkers"],
      ["loader.batchSzie", "batchSize"],
      ["optimzer", "optimizer"],
      ["num_parallel_workers", "loader.numWorkers"],
    ] as const
  ) {
    const { code, stdout, stderr } = await tacho("help", "settings", word);
    deepStrictEqual([code, stdout, stderr], [
      2,
      "",
      `error: tacho help settings: no setting has "${word}" in its name or description; did you mean "${meant}"?\n`,
    ]);
  }
  match((await tacho("help", "settings", "xyzzyqwk")).stderr, /; known: loss, optimizer, data, loader, .* more\n$/);
});
