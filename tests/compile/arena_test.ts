import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { packArena, validElements } from "../../runtime/compile/arena.ts";
import { DTYPE_BYTES, type FloatType } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";

const BLOCK = 256;

Deno.test("tensors do not overlap and start at valid binding offsets; the table counts valid elements", () => {
  const shape = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(shape, { maxLength: 8 }),
      fc.constantFrom<FloatType>("f32", "f16"),
      (shapes, dtype) => {
        const graph = new Graph();
        const arena = packArena(shapes.map((shape, i) => graph.leaf("parameter", `p${i}`, rowMajor(shape, dtype))));
        let end = 0;
        arena.entries.forEach(({ name, type, offset, size }, i) => {
          assert.deepEqual([name, type.shape], [`p${i}`, shapes[i]]);
          assert.equal(offset % BLOCK, 0);
          assert.ok(offset >= end);
          assert.equal(size, sizeOf(type.shape) * DTYPE_BYTES[dtype]);
          end = offset + size;
        });
        assert.ok(arena.bytes >= end && arena.bytes % BLOCK === 0 && arena.bytes - end < BLOCK);
        const table = validElements(arena);
        assert.equal(table.length * BLOCK, arena.bytes);
        const inside = (byte: number) => arena.entries.some((e) => e.offset <= byte && byte < e.offset + e.size);
        const bytes = DTYPE_BYTES[dtype];
        table.forEach((valid, block) => {
          for (let element = 0; element < BLOCK / bytes; element++) {
            assert.equal(element < valid, inside(block * BLOCK + element * bytes));
          }
        });
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("an empty arena needs no memory", () => {
  assert.deepEqual(packArena([]), { entries: [], bytes: 0, dtype: "f32" });
});
