import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { gfm, gfmHtml, micromark } from "../../packages/micromark.ts";
import { renderMarkdown } from "../../../runtime/report/markdown/markdown.ts";
import { markdownFence, markdownText } from "../../../runtime/report/markdown/text.ts";
import type { Result } from "../../../runtime/result/schema.ts";
import { hostileResult, hostileText } from "../hostile.ts";
import { bottleneck, effects, findings, judged, ladder, target } from "../judged_fixture.ts";
import { eventful, result } from "../result_fixture.ts";

/** Renders Markdown as GitHub does, raw HTML included. */
function html(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
}

/** Everything that a report can hold. */
function whole(): Result {
  const run = judged({ effects, ladder });
  const [first, ...others] = run.variants;
  return { ...run, variants: [{ ...first!, bottleneck, findings, target }, ...others] };
}

const TAGS = "h1 h2 ul li p table thead tbody tr th td strong details summary pre code".split(" ");

/** Fails if the page contains markup that the report does not write. */
function checkPage(page: string): void {
  const bare = page.replaceAll("<!-- -->", "");
  const tags = [...bare.matchAll(/<\/?([a-z0-9!?]*)([^>]*)>/gi)];
  for (const [tag, name, attributes] of tags) {
    assert(TAGS.includes(name!), tag);
    assert.match(attributes!, /^(?: align="(?:left|right)"| class="language-(?:sh|diff)")?$/, tag);
  }
  const outsideOfCode = page.replaceAll(/<pre>[^]*?<\/pre>/g, "").replaceAll(/<[a-z/][^>]*>/gi, "");
  assert.doesNotMatch(outsideOfCode, /@\w|:\/\/|\bwww\.|(?<!&)#\d|\bGH-\d/i);
  for (const table of bare.split("<table>").slice(1)) {
    const rows = table.split("</table>")[0]!.split("<tr>").slice(1);
    assert.equal(new Set(rows.map((row) => row.split(/<t[hd][ >]/).length)).size, 1, "equal rows");
  }
}

Deno.test("the report contains the matrix, verdicts, effects, advice, ladder, machine and command", () => {
  const text = renderMarkdown(whole(), { command: "deno run -A scripts/resnet.ts amp=O0,O2" });
  const lines = text.split("\n");
  assert.equal(lines[2], "- sink is 8.3 % faster than baseline (95 % interval 6.2 to 10 %, p = 0.023).");
  for (
    const line of [
      "# resnet-cifar10",
      "- resnet-cifar10 · resnet20 · 272,474 parameters · batch 32 · seed 1",
      "| sink | 152 | **×1.08** | 1.06-1.10 | **faster** | 0.023 | 312 | 1.732 | 0 | device |",
      "| ms per step | batch cost | step median | step p95 | step p99 | reader cost | iter. gap | forward | backward | update | device busy % |",
      "- invalid: amp: the loss up to step 32 is 12 % off, 10 % allowed",
      "| amp O0 -> O2 + sink 0 -> 10 | ×1.00 | – | 0.50 |",
      "| baseline | 2 of 3 | 13.2 s | 11.0-15.7 | 12.3 / 120 | 14.1 / 140 | – |",
      "| baseline | device | input | memory 70 % | without loading a step takes 31 % less |",
      "- **×1.45** The training loop waits for batches: the host queue was empty at 91 % of the steps (baseline)",
      "  - change: loader.numWorkers 0 -> 2",
      "## Ladder of baseline: ×1.38 in total (1.35-1.41), 1 of 3 rungs kept",
      "+  loader: { numWorkers: 2 },",
      "| adapter | llvmpipe (LLVM 15.0.6, 256 bits) |",
      "deno run -A scripts/resnet.ts amp=O0,O2",
    ]
  ) assert(lines.includes(line), line);
  checkPage(html(text));
});

Deno.test("no cell is cut: long names, messages, reasons and settings stand there in full", () => {
  const run = whole();
  const long = (what: string) => `${what} ${"very long ".repeat(300)}${what}`;
  const [first, ...others] = run.variants;
  const variants = [{
    ...first!,
    name: long("name"),
    bottleneck: { ...bottleneck, byArms: { ...bottleneck.byArms!, reason: long("reason") } },
  }, ...others];
  const rungs = run.ladder!.rungs.map((rung, i) =>
    i > 0 ? rung : { ...rung, reason: long("kept"), changes: [{ path: long("path"), from: 0, to: long("value") }] }
  );
  const text = renderMarkdown({ ...run, variants, ladder: { ...run.ladder!, rungs } }, { command: null });
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  for (const what of ["name", "reason", "kept", "path", "value"]) {
    assert(rows.some((row) => row.includes(long(what))), what);
  }
  assert(rows.every((row) => !row.includes("…")));
});

Deno.test("sections without content are omitted", () => {
  const text = renderMarkdown(eventful(), { command: null });
  assert.doesNotMatch(text, /Effects|Ladder|Advice|Bottleneck|```/);
  assert.match(text, /^- amp failed: The adapter "llvmpipe" has no shader-f16;/m);
  checkPage(html(text));
  checkPage(html(renderMarkdown(result([]), { command: null })));
});

Deno.test("escaped text renders unchanged", () => {
  const shown = (text: string) =>
    html(`- ${markdownText(text)}`).replaceAll(/<!-- -->|<[^>]*>|\n/g, "")
      .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  for (
    const text of [
      "layer1.0.conv1",
      "x86_64",
      "_under_ a_b_ __init__",
      "a|b \\|c\\ `d` ``e`` *f* **g** ~~h~~ [i](j) ![k](l) <b>&lt;</b> $m$",
      "@someone a@example.org #12 GH-1 http://example.org www.example.org",
      "- a",
      "+ a",
      "# a",
      "> a",
      "1. a",
      "12) a",
      "1.5",
      "=",
      "---",
      "==HYPERLINK",
    ]
  ) assert.equal(shown(text), text);
});

Deno.test("text in headings, lists and cells is never markup", () => {
  fc.assert(
    fc.property(hostileText(), hostileText(), (one, two) => {
      checkPage(
        html(
          `# ${markdownText(one)}\n\n- ${markdownText(two)}\n\n| a | b |\n| - | - |\n| ${markdownText(one)} | ${
            markdownText(two)
          } |\n`,
        ),
      );
    }),
    { numRuns: 200 },
  );
});

Deno.test("no line closes a code fence", () => {
  fc.assert(fc.property(fc.array(hostileText(), { minLength: 1, maxLength: 5 }), (lines) => {
    const single = lines.flatMap((line) => line.split("\n"));
    const [first, ...rest] = html(markdownFence(single, "diff").join("\n")).split("\n");
    assert.match(first!, /^<pre><code class="language-diff">/);
    assert.equal(rest.length, single.length);
    assert.equal(rest.at(-1), "</code></pre>");
  }));
});

Deno.test("with hostile names, report.md has no links, mentions or additional cells", () => {
  fc.assert(
    fc.property(hostileResult(), hostileText(), (run, command) => {
      const text = renderMarkdown(run, { command });
      assert.doesNotMatch(text.replaceAll(/[\n\t]/g, ""), /\p{C}/u);
      assert.doesNotMatch(text, /\bundefined\b|\[object Object\]/);
      checkPage(html(text));
    }),
    { numRuns: 30 },
  );
});
