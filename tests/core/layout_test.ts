import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { type Layout, toLogical, toPhysical } from "../../runtime/core/layout.ts";
import { formatShape, sameShape, sizeOf } from "../../runtime/core/shape.ts";
import { roundUp } from "../../runtime/core/round_up.ts";

const size = fc.integer({ min: 1, max: 5 });
const shaped = fc.oneof(
  fc.record({
    layout: fc.constantFrom<Layout>("row", "nchw", "nhwc", "hwio"),
    shape: fc.tuple(size, size, size, size).map((sizes): number[] => sizes),
  }),
  fc.record({ layout: fc.constantFrom<Layout>("row", "io"), shape: fc.tuple(size, size).map((s): number[] => s) }),
);

Deno.test("each layout puts every element where its definition says", () => {
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

Deno.test("to physical order and back gives the same elements, in a new array", () => {
  fc.assert(fc.property(shaped, ({ layout, shape }) => {
    const data = Float32Array.from({ length: sizeOf(shape) }, (_, i) => i);
    const physical = toPhysical(data, shape, layout);
    assert.deepEqual([...physical].sort((x, y) => x - y), [...data]);
    assert.deepEqual(toLogical(physical, shape, layout), data);
    assert.equal(physical === data, layout === "row" || layout === "nchw");
  }));
});

Deno.test("a layout needs its number of dimensions", () => {
  assert.throws(() => toPhysical(new Float32Array(6), [2, 3], "nhwc"), /Layout nhwc needs 4 dimensions, got \[2, 3\]/);
  assert.throws(() => toLogical(new Float32Array(8), [2, 2, 2], "io"), /needs 2 dimensions/);
});

Deno.test("shapes: size, text, equality; rounding up", () => {
  assert.deepEqual([sizeOf([]), sizeOf([2, 3]), sizeOf([2, 0])], [1, 6, 0]);
  assert.equal(formatShape([32, 3]), "[32, 3]");
  assert.ok(sameShape([2, 3], [2, 3]) && !sameShape([2, 3], [3, 2]) && !sameShape([2], [2, 1]));
  assert.deepEqual([0, 1, 16, 17].map((n) => roundUp(n, 16)), [0, 16, 16, 32]);
});
