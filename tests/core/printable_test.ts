import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { stripVTControlCharacters } from "node:util";
import { createPaint } from "../../runtime/report/color.ts";
import { printable, printableJson, printableLines } from "../../runtime/core/printable.ts";

Deno.test("characters that move the cursor or change the writing direction are escaped", () => {
  assert.equal(
    printable("a\n\r\t\x1b[2J\x9b\u202e\u200b\u2028\ud800 \u{10ffff}"),
    "a\\n\\r\\t\\u{1b}[2J\\u{9b}\\u{202e}\\u{200b}\\u{2028}\\u{d800} \\u{10ffff}",
  );
  assert.equal(printable("\u3164\u034f\u{e0101}\x7f"), "\\u{3164}\\u{34f}\\u{e0101}\\u{7f}", "invisible ones");
  const safe = "layer1.0.conv1 – 宽 é 😀 ❤️";
  assert.equal(printable(safe), safe);
});

Deno.test("of several lines, line ends and tabs are kept, and colours only where they are asked for", () => {
  assert.equal(printableLines("one\x1b[2J\r\n\ttwo\r\n\rthree"), "one\\u{1b}[2J\n\ttwo\n\\rthree");
  const tones = ["title", "heading", "quiet", "good", "bad", "warning", "input", "host", "device"] as const;
  const painted = tones.map((tone) => createPaint(true)(tone, tone)).join("\n");
  assert.equal(printableLines(painted, { styles: true }), painted);
  assert.equal(stripVTControlCharacters(printableLines(painted)), printableLines(painted));
  // Hidden text, links, titles and the cursor are no style of ours
  for (const other of ["\x1b[8m", "\x1b[7m", "\x1b[31;8m", "\x1b[2J", "\x1b]0;t\x07", "\x9b31m", "\x1b["]) {
    const shown = printableLines(`a${other}b\x1b[31m`, { styles: true });
    assert.doesNotMatch(shown.replace("\x1b[31m", ""), /\p{C}/u, JSON.stringify(other));
  }
});

Deno.test("printable JSON has no unsafe characters and parses to the same value", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(fc.property(fc.jsonValue({ stringUnit: "binary" }), text, (value, name) => {
    const json = printableJson({ [`${name}\x9b`]: value, half: "\ud800" });
    assert.doesNotMatch(json.replaceAll("\n", ""), /\p{C}|\u2028|\u2029/u);
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify({ [`${name}\x9b`]: value, half: "\ud800" })));
  }));
});
