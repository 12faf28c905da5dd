/** Every measured time and speed in the documents names the adapter, or the CPU, that it was measured on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pages, ROOT } from "./blocks.ts";

/** Pages with figures, and those whose first paragraph names the adapter of all of them. */
const PAGES = ["README.md", "bench/RESULTS.md", "docs/platform.md", "docs/statistics.md"];
const GUIDE = pages().filter((page) => page.startsWith("docs/guide/"));

/** A number with the unit of a time or of a speed, or a ratio of speeds. */
const FIGURE =
  /\d ?(?:ns|us|µs|ms|s|seconds|GFLOP\/s|GB\/s)\b|\d[\w ]{0,12}(?:images|samples|tokens)\/s|\b\d[\d.]*x\b|×\d|\btimes as (?:fast|long)/;

/** Names of adapters and of what else runs the measured work. */
const MEASURED_ON =
  /\b(?:lavapipe|SwiftShader|llvmpipe|software adapter|CPU|AMD machine|Xeon machine|Zen [34] machine|GPU|NVIDIA)\b/i;

/** Figures that are settings or limits, which no adapter changes. */
const SET = /\bby default\b|\blimit\b|\bat most\b|\bup to\b|\bat least\b|\bmore than\b/;

interface Block {
  readonly text: string;
  /** Text of the paragraph above a table or a list. */
  readonly above: string;
}

/** Returns the paragraphs, list items and tables of a page, without code. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let above = "";
  for (const part of markdown.replaceAll(/^```[^]*?^```/gm, "").split(/\n{2,}/)) {
    const text = part.trim();
    if (text === "" || text.startsWith("#")) {
      if (text !== "") above = "";
      continue;
    }
    if (/^(?:[-*]|\d+\.) /.test(text)) {
      for (const item of text.split(/\n(?=(?:[-*]|\d+\.) )/)) blocks.push({ text: item, above });
      continue;
    }
    const isTable = text.startsWith("|");
    blocks.push({ text, above });
    if (!isTable) above = text;
  }
  return blocks;
}

function unnamed(page: string): string[] {
  const blocks = blocksOf(Deno.readTextFileSync(join(ROOT, page)));
  const intro = blocks[0]?.text ?? "";
  const named = /^[^]*Figures come from/.test(intro) && MEASURED_ON.test(intro);
  if (named) return [];
  return blocks.flatMap(({ text, above }) => {
    const listed = /^(?:[|]|[-*] |\d+\. )/.test(text);
    const prose = text.replaceAll(/`[^`]*`/g, "");
    if (!FIGURE.test(prose) || MEASURED_ON.test(text) || (!listed && SET.test(prose))) return [];
    return listed && MEASURED_ON.test(above) ? [] : [`${page}: ${text.slice(0, 160)}`];
  });
}

Deno.test("every measured time and speed names the adapter or the CPU that it was measured on", () => {
  assert.deepEqual([...PAGES, ...GUIDE].flatMap(unnamed), []);
});

Deno.test("a figure without an adapter is found, in prose, lists and tables", () => {
  const found = (markdown: string) =>
    blocksOf(markdown).filter(({ text, above }) => FIGURE.test(text) && !MEASURED_ON.test(text + above)).length;
  assert.equal(found("It takes 3.5 ms.\n\nTacho is 4.2x as fast.\n\n| a | 30 images/s |\n| - | - |\n"), 3);
  assert.equal(found("On lavapipe it takes 3.5 ms.\n\n- on the way, 2 us\n"), 0);
  assert.equal(found("```sh\nsleep 3 s\n```\n"), 0);
});
