import assert from "node:assert/strict";
import { lazyList } from "../../runtime/core/lazy_list.ts";

Deno.test("a lazy list creates an element once, when it is read", () => {
  const made: number[] = [];
  const list = lazyList(4, (index) => {
    made.push(index);
    return { index };
  });
  assert.equal(list.length, 4);
  assert.deepEqual(made, []);
  assert.equal(list.find(({ index }) => index === 1), list[1]);
  assert.equal(list.indexOf(list[1]!), 1);
  assert.deepEqual(made, [0, 1]);
  assert.deepEqual(list.map(({ index }) => index), [0, 1, 2, 3]);
  assert.deepEqual(made, [0, 1, 2, 3]);
});

Deno.test("an element that could not be created is tried again", () => {
  let tries = 0;
  const list = lazyList(1, () => {
    if (++tries === 1) throw new Error("no");
    return "made";
  });
  assert.throws(() => list[0], /no/);
  assert.equal(list[0], "made");
});
