/** Compares the pages for those who come from another tool with Tacho's flags, commands, settings and dialects. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { basename, join } from "node:path";
import { type Problem, suggestKey } from "../../runtime/scenario/problems.ts";
import { SOURCES } from "../../runtime/report/dialects/columns.ts";
import { pages, ROOT } from "./blocks.ts";

const PAGES = pages().filter((page) => page.startsWith("docs/guide/coming_from/"));

const reference = read("docs/reference.md");

/** Pages of tools whose format Tacho prints with columns of the tool's own names. */
const OF_DIALECT = { nnc: "neural_network_console", mindinsight: "mindspore_insight", singa: "singa" } as const;

Deno.test("each page has its commands, its columns, and what Tacho lacks, in at most 80 lines", () => {
  ok(PAGES.length > 9, `${PAGES.length} pages`);
  for (const page of PAGES.filter((page) => basename(page) !== "README.md")) {
    const text = read(page);
    ok(text.split("\n").length <= 81, `${page}: too long`);
    ok(tables(text).length >= 2, `${page}: fewer than two tables`);
    ok(text.includes("\n## Commands\n") && text.includes("\n## Not in Tacho\n"), `${page}: a section is missing`);
  }
});

Deno.test("Tacho has the flags and commands that a page names beside those of another tool", () => {
  const ours = PAGES.flatMap((page) => cellsOfTacho(read(page)).map((cell) => ({ page, cell })));
  const flags = ours.flatMap(({ page, cell }) =>
    found(cell, /(?<![\w-])--[a-z][\w-]*/g).map((flag) => ({ page, flag }))
  );
  ok(flags.length > 50, `${flags.length} flags`);
  deepStrictEqual(flags.filter(({ flag }) => !new RegExp(`\`?${flag}\\b(?!-)`).test(reference)), []);
  const commands = ours.flatMap(({ page, cell }) =>
    found(cell, /(?<=`)tacho [a-z-]+/g).map((name) => ({ page, name }))
  );
  ok(commands.length > 10, `${commands.length} commands`);
  deepStrictEqual(commands.filter(({ name }) => !reference.includes(`### \`${name}\``)), []);
});

Deno.test("the table of settings agrees with the answers to keys of other tools", () => {
  const rows = tables(read("docs/guide/coming_from/README.md")).find((table) => table[0]![0] === "elsewhere")!.slice(1);
  const pairs = rows.flatMap(([theirs, ours]) => {
    const [keys, settings] = [found(theirs!, /(?<=`)\w+(?=`)/g), found(ours!, /(?<=`)[\w.]+(?=`)/g)];
    return keys.map((key, i) => [key, settings[i] ?? settings[0]!] as const);
  });
  ok(pairs.length > 8, `${pairs.length} keys`);
  for (const [key, setting] of pairs) deepStrictEqual(answer([key]), `; did you mean "${setting}"?`);
});

for (const [dialect, name] of Object.entries(OF_DIALECT)) {
  Deno.test(`the page of ${name} has every column of ${dialect}`, () => {
    const text = read(`docs/guide/coming_from/${name}.md`);
    deepStrictEqual(
      Object.keys(SOURCES[dialect as keyof typeof OF_DIALECT]).filter((column) => !text.includes(column)),
      [],
    );
  });
}

function answer(path: Problem["path"]): string {
  return suggestKey(path, [], () => []);
}

/** Returns the cells of each table by row; the first row is the heading. */
function tables(text: string): string[][][] {
  return text.split(/\n{2,}/).filter((part) => part.startsWith("| ")).map((part) =>
    part.trim().split("\n").filter((_, i) => i !== 1).map((line) =>
      line.split("|").slice(1, -1).map((cell) => cell.trim())
    )
  );
}

/** Returns the cells that say what is in Tacho: all but the first of each row. */
function cellsOfTacho(text: string): string[] {
  return tables(text).flatMap((rows) => rows.slice(1).flatMap((cells) => cells.slice(1)));
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([match]) => match);
}

function read(page: string): string {
  return Deno.readTextFileSync(join(ROOT, page));
}
