import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { printable, printableJson, printableLines } from "../../runtime/core/printable.ts";

Deno.test("characters that move the cursor or change the writing direction are escaped", () => {
  assert.equal(
    printable("a\n\r\t\x1b[2J\x9b\u202e\u200b\u2028\ud800 \u{10ffff}"),
    "a\\n\\r\\t\\u{1b}[2J\\u{9b}\\u{202e}\\u{200b}\\u{2028}\\u{d800} \\u{10ffff}",
  );
  assert.equal(printable("layer1.0.conv1 – 宽 é 😀"), "layer1.0.conv1 – 宽 é 😀");
  assert.equal(printableLines("one\x1b[2J\n\ttwo\n"), "one\\u{1b}[2J\n\\ttwo\n");
});

Deno.test("printable JSON has no unsafe characters and parses to the same value", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(fc.property(fc.jsonValue({ stringUnit: "binary" }), text, (value, name) => {
    const json = printableJson({ [`${name}\x9b`]: value, half: "\ud800" });
    assert.doesNotMatch(json.replaceAll("\n", ""), /\p{C}|\u2028|\u2029/u);
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify({ [`${name}\x9b`]: value, half: "\ud800" })));
  }));
});
