/** Division of images into blocks of lines whose windows are read as uniforms. */
import assert from "node:assert/strict";
import { lineBlocks, type LineRead } from "../../ops/kernels/line_windows.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { roundUp } from "../../runtime/core/round_up.ts";
import { WINDOW_BYTES } from "../../runtime/device/kernel.ts";

/** Lines that a block of `count` lines reads, as a convolution of random shape does. */
function draw(seed: number) {
  const random = new RandomStream(seed, 5);
  const between = (low: number, high: number) => low + random.below(high - low + 1);
  const extent = between(3, 60);
  const read: LineRead = {
    extent,
    line: 8 * between(1, 2000),
    stride: between(1, 3),
    from: between(-2, 4),
    halo: between(0, 2),
  };
  return {
    batch: between(1, 3),
    count: between(1, Math.ceil(extent / read.stride)),
    read,
    written: 8 * between(1, 500),
  };
}

Deno.test("windows of lines lie inside their tensor and hold every line of the image that a block sees", () => {
  let divided = 0;
  for (let seed = 0; seed < 300; seed++) {
    const { batch, count, read, written } = draw(seed);
    const total = roundUp(batch * read.extent * read.line, 16);
    const blocks = lineBlocks(batch, count, [read], {
      start: (image, first) => (image * count + first) * written,
      size: (lines) => lines * written,
    });
    if (blocks === null) continue;
    divided++;
    const results = new Set<number>();
    const [window] = blocks.windows;
    assert.ok(window! <= WINDOW_BYTES && window! % 16 === 0, `seed ${seed}: ${window} bytes`);
    for (const { lines, first, shifts, place, written: size, slices } of blocks.blocks) {
      for (const { reads, written: to } of slices) {
        const start = (to + place) / written;
        const [image, from] = [Math.floor(start / count), start % count];
        if (first !== null) assert.equal(first, from, `seed ${seed}: first line`);
        assert.ok(to % 256 === 0 && to + size <= batch * count * written, `seed ${seed}: results at ${to}`);
        for (let j = 0; j < lines; j++) results.add(start + j);
        const offset = reads[0]!;
        assert.ok(offset % 256 === 0 && offset >= 0 && offset + window! <= total, `seed ${seed}: window at ${offset}`);
        for (let j = 0; j < (lines - 1) * read.stride + 1 + read.halo; j++) {
          const line = from * read.stride + read.from + j;
          if (line < 0 || line >= read.extent) {
            assert.notEqual(first, null, `seed ${seed}: line ${line} is not in the image`);
            continue;
          }
          const at = shifts[0]! + j * read.line;
          assert.equal(offset + at, (image * read.extent + line) * read.line, `seed ${seed}: line ${line}`);
          assert.ok(at >= 0 && at + read.line <= window!, `seed ${seed}: line ${line} is outside of its window`);
        }
      }
    }
    assert.equal(results.size, batch * count, `seed ${seed}: lines of the results`);
  }
  assert.ok(divided > 100, `${divided} shapes`);
});

Deno.test("lines larger than a window are not divided", () => {
  const read = { extent: 9, line: WINDOW_BYTES + 16, stride: 1, from: 0, halo: 0 };
  const write = { start: () => 0, size: () => 16 };
  assert.equal(lineBlocks(1, 9, [read], write), null);
  assert.equal(lineBlocks(1, 9, [{ ...read, line: WINDOW_BYTES / 2, halo: 2 }], write), null);
  assert.notEqual(lineBlocks(1, 9, [{ ...read, line: WINDOW_BYTES / 2, halo: 1 }], write), null);
});
