/**
 * Adds everything that docs/extending.md defines to a copy of the repository, and uses it. The types of all TypeScript in
 * pages and doc comments are checked against the same copy, in the full set only, since every check of types takes long.
 */
import { match, ok, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { TEMPLATES } from "../../runtime/cli/init/templates.ts";
import { full, fullTest } from "../support/full.ts";
import { allBlocks, type Block, blocksOf } from "./blocks.ts";
import { copyRepository } from "./copy.ts";
import { docExamples } from "./doc_examples.ts";
import { bundlerProblem } from "../bundle.ts";

const PAGE = "docs/extending.md";

const SCENARIO = `
import { flatten, linear, logCosh, run, scenario, schedules, sequential } from "./mod.ts";
import { signSgd, softsign, squares, transforms } from "./mod.ts";

export default scenario({
  name: "extended",
  model: sequential(flatten(), linear(10), softsign()),
  loss: logCosh(),
  optimizer: signSgd(),
  schedule: schedules.inverseRoot({ steps: 5, warmup: 1 }),
  data: squares({ size: 4, length: 64, transforms: [transforms.invert(), transforms.oneHot()] }),
  loader: { batchSize: 8 },
  measure: { steps: 2, skip: 1, rounds: 1, aa: false },
});

if (import.meta.main) await run();
`;

/** Prints the added table of a result in the terminal's form, in Markdown and as CSV. */
const TABLES = `
import { tableCsv } from "./runtime/report/csv.ts";
import { renderMarkdown } from "./runtime/report/markdown/markdown.ts";
import { renderOutcome } from "./runtime/report/outcome/outcome.ts";
import { tablesNamed } from "./runtime/report/tables.ts";
import { readResult } from "./runtime/result/schema.ts";

const result = readResult(JSON.parse(await Deno.readTextFile("result.json")));
console.log(renderOutcome(result, { columns: 100, color: false, raw: false, advice: false }));
console.log(renderMarkdown(result, { command: null }));
console.log(tablesNamed("skipped", result).map((table) => tableCsv(table)).join(""));
`;

/** Every entry point with all of its types. */
const ENTRIES = `import * as tacho from "@tacho/tacho";
import * as jupyter from "@tacho/tacho/jupyter";
import "@tacho/tacho/cli";

console.log(tacho, jupyter);
`;

/** Path of the file that a block shows, from the comment on its first line. */
function pathOf({ line, text }: Block): string {
  const path = text.match(/^ ?\/\/ (\S+\.ts)\n/)?.[1];
  if (path === undefined) throw new Error(`${PAGE}:${line}: expected a path on the first line`);
  return path;
}

/** Inserts the `+` lines of a block behind the line of the file that the block shows before them. */
function patch(source: string, { line, text }: Block): string {
  const lines = source.split("\n");
  let at = -1;
  for (const shown of text.trimEnd().split("\n").slice(1)) {
    if (shown.startsWith("+")) {
      lines.splice(++at, 0, shown.slice(1));
      continue;
    }
    // A list that fits one line is opened first
    at = lines.findIndex((own) => own.startsWith(shown.slice(1)));
    if (at < 0) throw new Error(`${PAGE}:${line}: no line begins with ${shown.slice(1)}`);
    const head = shown.slice(1);
    if (lines[at] !== head && head.endsWith("[")) lines.splice(at, 1, head, lines[at]!.slice(head.length));
  }
  return lines.join("\n");
}

/** The copy, and a project that uses it. */
const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-extending-" }));
const project = join(place, "project");
/** Files of the copy that the page adds or changes. */
const extended: string[] = [];

Deno.test.beforeAll(async () => {
  await copyRepository(place);
  for (const block of blocksOf(PAGE)) {
    const file = join(place, pathOf(block));
    extended.push(file);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(
      file,
      block.language === "ts" ? block.text : patch(await Deno.readTextFile(file), block),
    );
  }
  await Deno.writeTextFile(join(place, "extended.ts"), SCENARIO);
  if (full) await deno(place, "task", "types");
});

Deno.test.afterAll(() => Deno.remove(place, { recursive: true }));

/** Runs `deno` in a folder and returns what it prints. */
async function deno(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { TACHO_STORE: join(place, "store"), NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stdout);
  strictEqual(code, 0, text + decoder.decode(stderr));
  return text;
}

Deno.test("the definitions of docs/extending.md work after one line in a list each", async () => {
  const result = JSON.parse(await deno(place, "run", "-A", "--no-check", "extended.ts", "--json", "-"));
  const losses = result.variants[0].losses as number[];
  strictEqual(losses.length >= 3 && losses.every(Number.isFinite), true, String(losses));
  match(await deno(place, "run", "-A", "--no-check", "extended.ts", "--help"), /signSgd/);
  match(await deno(place, "run", "-A", "--no-check", "scripts/tacho.ts", "hello"), /^Hello$/m);
  for (const variant of result.variants) variant.overflows = 3;
  await Deno.writeTextFile(join(place, "result.json"), JSON.stringify(result));
  await Deno.writeTextFile(join(place, "tables.ts"), TABLES);
  const text = await deno(place, "run", "-A", "--no-check", "tables.ts");
  match(text, /^Skipped updates\nvariant +skipped\n─+\nbaseline +3\.00\n/m);
  match(text, /^## Skipped updates\n\n\| variant \| skipped \|\n\|[^\n]*\n\| baseline \| 3\.00 \|$/m);
  match(text, /^variant,skipped\r?\nbaseline,3\r?$/m);
});

Deno.test({
  name: "the page has a table after one line in a list",
  ignore: await bundlerProblem() !== null,
  fn: async () => {
    await deno(place, "task", "bundle");
    match(await Deno.readTextFile(join(place, "runtime/report/html/client.js")), /"Skipped updates"/);
  },
});

fullTest(
  "TypeScript of pages, doc comments and tacho init, and all of Tacho, type-check in a project with the strictest options",
  async () => {
    const { compilerOptions: strictest } = JSON.parse(await Deno.readTextFile(join(place, "deno.json")));
    // An example may define a name for the reader only; deno task check finds unused names in Tacho itself
    const compilerOptions = { ...strictest, noUnusedLocals: false, noUnusedParameters: false };
    const files = new Map<string, string>(TEMPLATES.flatMap(({ files }) => Object.entries(files)));
    files.set("entries.ts", ENTRIES);
    const blocks = allBlocks("ts").filter(({ page }) => page !== PAGE);
    ok(blocks.length >= 5, `${blocks.length} blocks`);
    for (const { page, line, text } of blocks) files.set(`${page.replaceAll("/", "_")}_${line}.ts`, text);
    for (const { name, text } of docExamples()) files.set(`${name.replaceAll(/[/:]/g, "_")}.ts`, text);
    await Deno.mkdir(project);
    const names = [...files.keys()].filter((name) => name.endsWith(".ts"));
    for (const name of names) await Deno.writeTextFile(join(project, name), files.get(name)!);
    await Deno.writeTextFile(join(project, "deno.json"), JSON.stringify({ links: [".."], compilerOptions }));
    await deno(project, "check", "--quiet", ...names, "../extended.ts", ...extended);
  },
);
