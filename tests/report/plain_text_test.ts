import assert from "node:assert/strict";
import stringWidth from "string-width";
import {
  clip,
  nameInProse,
  namesInProse,
  nameText,
  perVariant,
  printable,
  shorten,
} from "../../runtime/report/plain_text.ts";
import { formatBytes, formatFlops, formatShape, formatTensors, formatTime } from "../../runtime/report/quantities.ts";
import { sparkline } from "../../runtime/report/sparkline.ts";
import { hostileNames } from "./hostile.ts";
import { tensor } from "./profile_fixture.ts";

Deno.test("What could move the cursor or turn the line is written out", () => {
  assert.equal(
    printable("a\n\r\t\x1b[2J\x9b\u202e\u200b\u2028\ud800"),
    "a\\n\\r\\t\\u{1b}[2J\\u{9b}\\u{202e}\\u{200b}\\u{2028}\\u{d800}",
  );
  assert.equal(printable("layer1.0.conv1 – 宽 é 😀"), "layer1.0.conv1 – 宽 é 😀");
});

Deno.test("A name is cut in the middle, since its ends tell most", () => {
  assert.equal(shorten("layer1.0.conv1/conv2d_weight_grad", 20), "layer1.…_weight_grad");
  assert.equal(shorten("short", 20), "short");
});

Deno.test("No name is wider than it may be, nor longer than its columns explain", () => {
  for (const name of hostileNames) {
    for (const width of [16, 40, 120]) {
      const text = nameText(name, width);
      assert(stringWidth(text) <= width, `${stringWidth(text)} > ${width}`);
      assert(text.length <= 5 * width, `${text.length} characters in ${width} columns`);
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u);
    }
  }
});

Deno.test("A sentence is cut at its end, between characters as they are seen", () => {
  assert.equal(clip("the device is busy", 12), "the device …");
  assert.equal(clip("as it is", 8), "as it is");
  assert.equal(clip("宽宽宽", 4), "宽…");
  assert.equal(clip("👨‍👩‍👧‍👦 family", 3), "👨‍👩‍👧‍👦…");
  for (const name of hostileNames) assert(stringWidth(clip(printable(name), 10)) <= 10);
});

Deno.test("Within a sentence a name is one line that can be seen, and many names are counted", () => {
  assert.equal(nameInProse("sink\n2"), "sink\\n2");
  assert.equal(nameInProse(""), '""');
  assert.equal(nameInProse("  "), '"  "');
  assert.equal(namesInProse(["a", "b", "c"]), "a, b, c");
  assert.equal(namesInProse(["a", "b", "c"], 2), "a, b and 1 more");
});

Deno.test("What is the same for all variants is printed once, but only where it is for all", () => {
  assert.equal(perVariant([["a", "3"], ["b", "3"]], 2), "3 for each");
  assert.equal(perVariant([["a", "3"], ["b", "3"]], 3), "a 3, b 3");
  assert.equal(perVariant([["a", "3"], ["b", "3"]]), "a 3, b 3");
  assert.equal(perVariant([["a", "3"]], 1), "a 3");
  assert.equal(perVariant([["a", "3"], ["b", "4"]], 2), "a 3, b 4");
});

Deno.test("FLOPs, bytes and shapes", () => {
  assert.deepEqual([0, 999, 1e3, 2.5e6, 7.8e9, 3e12].map(formatFlops), [
    "0 FLOP",
    "999 FLOP",
    "1.00 kFLOP",
    "2.50 MFLOP",
    "7.80 GFLOP",
    "3.00 TFLOP",
  ]);
  assert.deepEqual([0, 4 / 23, 1023, 1024, 2 ** 21, 3 * 2 ** 30].map(formatBytes), [
    "0 B",
    "0.17 B",
    "1023 B",
    "1.00 KiB",
    "2.00 MiB",
    "3.00 GiB",
  ]);
  assert.deepEqual([formatShape([]), formatShape([32, 3, 1])], ["scalar", "32x3x1"]);
  assert.equal(formatTensors([tensor(2, 3), { shape: [2], dtype: "i32" }], "f32"), "2x3 2:i32");
});

Deno.test("A sparkline shows a hiccup and a gap, and no noise", () => {
  assert.equal(sparkline([1, 1, 8, 1], 10), "▁▁█▁");
  assert.equal(sparkline([1, 2, 3, 4, 5, 6, 7, 8], 10), "▁▂▃▄▅▆▇█");
  assert.equal(sparkline([100, 101, null, 100], 10), "▁▁·▁");
  assert.equal(sparkline([0, 0], 10), "▁▁");
  assert.equal(sparkline([4, 8], 10, 0), "▅█");
  assert.equal(sparkline([], 10), "");
  assert.equal([...sparkline(Array(1000).fill(1), 40)].length, 40);
});

Deno.test("times have the unit that suits them", () => {
  assert.deepEqual([0, 0.0032, 0.9996, 533.006, 12_500].map(formatTime), [
    "0 us",
    "3.20 us",
    "1.00 ms",
    "533 ms",
    "12.5 s",
  ]);
});
