import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { type Layout, toLogical, toPhysical } from "../../runtime/core/layout.ts";
import { sizeOf } from "../../runtime/core/shape.ts";

const size = fc.integer({ min: 1, max: 5 });
const shaped = fc.oneof(
  fc.record({
    layout: fc.constantFrom<Layout>("row", "nchw", "nhwc", "hwio"),
    shape: fc.tuple(size, size, size, size).map((sizes): number[] => sizes),
  }),
  fc.record({ layout: fc.constantFrom<Layout>("row", "io"), shape: fc.tuple(size, size).map((s): number[] => s) }),
);

Deno.test("each layout orders elements as it is defined", () => {
  const [a, b, c, d] = [2, 3, 4, 5];
  const data = Int32Array.from({ length: a * b * c * d }, (_, i) => i);
  const [nhwc, hwio] = [toPhysical(data, [a, b, c, d], "nhwc"), toPhysical(data, [a, b, c, d], "hwio")];
  for (let i = 0; i < data.length; i++) {
    const [w, z, y, x] = [i % d, Math.floor(i / d) % c, Math.floor(i / d / c) % b, Math.floor(i / d / c / b)];
    assert.equal(nhwc[((x * c + z) * d + w) * b + y], i);
    assert.equal(hwio[((z * d + w) * b + y) * a + x], i);
  }
  assert.deepEqual([...toPhysical(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3], "io")], [1, 4, 2, 5, 3, 6]);
});

Deno.test("converting to physical order and back restores the elements, in a new array", () => {
  fc.assert(fc.property(shaped, ({ layout, shape }) => {
    const data = Float32Array.from({ length: sizeOf(shape) }, (_, i) => i);
    const physical = toPhysical(data, shape, layout);
    assert.deepEqual([...physical].sort((x, y) => x - y), [...data]);
    assert.deepEqual(toLogical(physical, shape, layout), data);
    assert.equal(physical === data, layout === "row" || layout === "nchw");
  }));
});

Deno.test("a layout rejects shapes of another rank", () => {
  assert.throws(() => toPhysical(new Float32Array(6), [2, 3], "nhwc"), /Layout nhwc needs 4 dimensions, got \[2, 3\]/);
  assert.throws(() => toLogical(new Float32Array(8), [2, 2, 2], "io"), /needs 2 dimensions/);
});
