import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import stringWidth from "string-width";
import { wrap } from "../../runtime/report/wrap.ts";
import { hostileText } from "./hostile.ts";

Deno.test("text is broken at spaces, and continuation lines are indented", () => {
  assert.deepEqual(wrap("one two three four", 9), ["one two", "  three", "  four"]);
  assert.deepEqual(wrap("one two\nthree", 20, 3), ["one two", "   three"]);
  assert.deepEqual(wrap("    indented text", 14, 6), ["    indented", "      text"]);
  assert.deepEqual(wrap("", 20), [""]);
});

Deno.test("a word that is too wide is broken, and a very long one is cut in the middle", () => {
  assert.deepEqual(wrap(`see ${"x".repeat(20)}`, 12), ["see", "  xxxxxxxxxx", "  xxxxxxxxxx"]);
  const long = wrap("x".repeat(10_000), 12);
  assert.equal(long.length, 4);
  assert(long.join("").includes("…"));
});

Deno.test("no line exceeds the width or contains control characters", () => {
  const sizes = fc.record({ width: fc.integer({ min: 20, max: 120 }), indent: fc.nat(8) });
  fc.assert(
    fc.property(fc.array(hostileText()), sizes, (words, { width, indent }) => {
      for (const line of wrap(words.join(" "), width, indent)) {
        assert(stringWidth(line) <= width, `${stringWidth(line)} of ${width}: ${line}`);
        assert.doesNotMatch(line, /\p{C}|\p{Zl}|\p{Zp}/u);
      }
    }),
    { numRuns: 50 },
  );
});
