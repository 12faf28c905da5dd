import assert from "node:assert/strict";
import stringWidth from "string-width";
import { graphemesOf, textWidth } from "../../runtime/report/text_width.ts";

/** Characters of one code unit, without the halves of pairs. */
const CHARACTERS = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code));

Deno.test("texts are as wide as string-width says", () => {
  const wrong = CHARACTERS.filter((character) => textWidth(`a${character}b`) !== stringWidth(`a${character}b`));
  assert.deepEqual(wrong, []);
  for (const text of ["", "conv2d – 3×3 → 16 µs", "e\u0301", "層", "👩‍👩‍👧 x", "\u001b[1mbold\u001b[22m", "a\u00adb"]) {
    assert.equal(textWidth(text), stringWidth(text), text);
  }
});

Deno.test("graphemes keep marks and joined emoji together", () => {
  assert.deepEqual(graphemesOf("a–b"), ["a", "–", "b"]);
  assert.deepEqual(graphemesOf("e\u0301👩‍👩‍👧層"), ["e\u0301", "👩‍👩‍👧", "層"]);
  assert.deepEqual(graphemesOf(""), []);
});
