/** Checks how the pages of the guide begin, and that its indexes list all of them. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { pages, ROOT } from "./blocks.ts";

const GUIDE = "docs/guide/";

const guide = pages().filter((page) => page.startsWith(GUIDE));

/** A heading, a paragraph, and a block of commands: the only parts before anything else. */
const BEGINNING = /^# .+\n\n((?:[^\n]+\n)+)\n```(?:sh|text)\n([^\n]+)\n/;

/** Programs that a page's first command may start. */
const COMMAND = /^(?:deno|tacho|mpirun) /;

/** End of a sentence, with more text behind it. */
const NEXT_SENTENCE = /[.!?] +\S/;

/** Most characters of the sentence that says what a page is for. */
const LONGEST_SENTENCE = 160;

Deno.test("each page of the guide begins with one sentence that says what it is for, and its first command", () => {
  ok(guide.length > 20, `${guide.length} pages`);
  deepStrictEqual(guide.flatMap((page) => badBeginning(read(page)).map((problem) => `${page}: ${problem}`)), []);
});

Deno.test("a page without a sentence, with several, or without a command is found", () => {
  deepStrictEqual(badBeginning("# A\n\nIt does one thing.\n\n```sh\ntacho runs\n```\n"), []);
  deepStrictEqual(badBeginning("# A\n\n```sh\ntacho runs\n```\n").length, 1);
  deepStrictEqual(badBeginning("# A\n\nIt does this. It does that.\n\n```sh\ntacho runs\n```\n").length, 1);
  deepStrictEqual(badBeginning("# A\n\nIt does one thing\n\n```sh\ntacho runs\n```\n").length, 1);
  deepStrictEqual(badBeginning("# A\n\nIt does one thing.\n\n```sh\n# tacho runs\n```\n").length, 1);
  deepStrictEqual(badBeginning("# A\n\nIt does one thing.\n\n```ts\nmeasure();\n```\n").length, 1);
});

Deno.test("the index of each folder of the guide lists its pages and folders", () => {
  const missing = guide.filter((page) => page !== `${GUIDE}README.md`).filter((page) => {
    const folder = page.endsWith("/README.md") ? dirname(dirname(page)) : dirname(page);
    return !read(`${folder}/README.md`).includes(`](${relative(folder, page)})`);
  });
  deepStrictEqual(missing, []);
});

function badBeginning(text: string): string[] {
  const found = BEGINNING.exec(text);
  if (found === null) return ["no sentence and block of commands below the heading"];
  const sentence = found[1]!.trim().replaceAll("\n", " ");
  return [
    ...sentence.endsWith(".") && !NEXT_SENTENCE.test(sentence) ? [] : [`not one sentence: ${sentence}`],
    ...sentence.length <= LONGEST_SENTENCE ? [] : [`${sentence.length} characters before the first command`],
    ...COMMAND.test(found[2]!) ? [] : [`no command: ${found[2]}`],
  ];
}

function read(page: string): string {
  return Deno.readTextFileSync(join(ROOT, page));
}
