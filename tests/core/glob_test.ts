import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { matchesGlob } from "../../runtime/core/glob.ts";

Deno.test("a pattern matches the texts that the regular expression matches", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      const expected = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(text);
      assert.equal(matchesGlob(pattern, text), expected, `${pattern} ${text}`);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("signs of regular expressions match themselves", () => {
  assert.ok(matchesGlob("a.b+*", "a.b+c"));
  assert.ok(!matchesGlob("a.b", "axb"));
});
